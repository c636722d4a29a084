/** What differs between one page and the next. */
export type PageHeaders = {
  /** Registered CSP sources of the pages that may frame this one; none: nobody may. */
  readonly frameAncestors: readonly string[];
  /** CSP sources the page's form may be led to besides ourselves. */
  readonly formTargets?: readonly string[];
  readonly script?: boolean;
  /** A page the game opens in a window of its own keeps its `opener`. */
  readonly opener?: boolean;
  /** The page's script asks for a passkey, and talks to us about it. */
  readonly passkeys?: boolean;
  /** The page's script asks us how things go on. */
  readonly live?: boolean;
};

const NO_PASSKEYS = 'publickey-credentials-get=(), publickey-credentials-create=()';

/**
 * The headers of one page. Set here and not by a general middleware: nearly every value depends on the page, and a
 * default that is wrong (X-Frame-Options, COOP, no-referrer) breaks the product silently.
 */
export function pageHeaders(page: PageHeaders): Record<string, string> {
  const { frameAncestors, formTargets = [], script, opener, passkeys, live } = page;
  // A host source only: a stray `;` or `,` would end the directive, and `*` would let in the world.
  const ancestors = frameAncestors.filter((source) => /^https?:\/\/[a-z0-9.-]+(:\d+)?$/.test(source));
  const policy = [
    `default-src 'none'`,
    `style-src 'self'`,
    `img-src 'self'`,
    ...(script || passkeys || live ? [`script-src 'self'`] : []),
    ...(passkeys || live ? [`connect-src 'self'`] : []),
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    `base-uri 'none'`,
    `frame-ancestors ${ancestors.join(' ') || `'none'`}`,
  ];
  return {
    'content-security-policy': policy.join('; '),
    ...(ancestors.length === 0 && { 'x-frame-options': 'DENY' }),
    'cross-origin-opener-policy': opener ? 'unsafe-none' : 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    // With no-referrer our own form would send `Origin: null`.
    'referrer-policy': 'same-origin',
    'permissions-policy': `camera=(), geolocation=(), microphone=(), payment=()${passkeys ? '' : `, ${NO_PASSKEYS}`}`,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  };
}
