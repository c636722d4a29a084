import type { approve, QuartersError, signUpGuest } from './script.generated.ts';

export type {
  Approved,
  ApproveOptions,
  FailureReason,
  QuartersError,
  SignUpOptions,
} from './script.generated.ts';

/** What the browser script of a service defines. */
export type Quarters = {
  readonly approve: typeof approve;
  readonly signUpGuest: typeof signUpGuest;
  readonly QuartersError: typeof QuartersError;
};

type LoadOptions = {
  /** Of your page's Content-Security-Policy, if it lets scripts run by nonce. */
  readonly nonce?: string;
};

const loading = new Map<string, Promise<Quarters>>();

/**
 * Loads `/quarters.js` of the service at `url` into the page, once. It is the script of that service, with its pages' addresses, its looks and
 * its words, and so it is no part of this package. Rejects if it cannot be loaded; the next call tries again. On a server it rejects too, and
 * importing this module does nothing there.
 *
 * Load it before the player's click: a window opens only within one.
 */
export function loadQuarters(url: string, options: LoadOptions = {}): Promise<Quarters> {
  const address = new URL('/quarters.js', url).href;
  const known = loading.get(address);
  if (known) return known;
  const script = load(address, options);
  loading.set(address, script);
  script.catch(() => loading.delete(address));
  return script;
}

async function load(address: string, { nonce }: LoadOptions): Promise<Quarters> {
  if (typeof document === 'undefined') throw new Error('loadQuarters works in a browser only');
  const script = document.createElement('script');
  if (nonce !== undefined) script.nonce = nonce;
  await new Promise<void>((loaded, failed) => {
    script.onload = () => loaded();
    script.onerror = () => failed(new Error(`${address} could not be loaded`));
    script.src = address;
    document.head.append(script);
  }).finally(() => script.remove());
  const { Quarters } = globalThis as { readonly Quarters?: Quarters };
  if (!Quarters) throw new Error(`${address} is not the script of Quarters`);
  return Quarters;
}
