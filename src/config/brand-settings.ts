import { readFileSync } from 'node:fs';
import { LOCALES } from '../base/locales.ts';
import { printable } from '../base/printable.ts';
import { oneOf, optional, parsedUrl, setting } from './parse.ts';

/** Who the pages belong to. */
export const BRAND_SETTINGS = {
  brandName: setting('BRAND_NAME', 'Quarters', brandName, 'the name of this service on pages and in mails'),
  brandLogo: setting(
    'BRAND_LOGO',
    '',
    optional(logoFile),
    'file with a square logo, an SVG, PNG or WebP of at most 32 kB; unset: a coin in the accent',
  ),
  brandAccent: setting(
    'BRAND_ACCENT',
    '#f5b301',
    accent,
    'the accent of pages and mails; pages darken or lighten it where it would be hard to see',
  ),
  defaultLocale: setting(
    'DEFAULT_LOCALE',
    'en',
    oneOf(...LOCALES),
    `language of players’ pages and mails where none of ours was asked for (${LOCALES.join(', ')})`,
  ),
  supportUrl: setting(
    'SUPPORT_URL',
    '',
    optional((text) => parsedUrl(text, ['https:', 'http:', 'mailto:'], 'https://help.example').href),
    'where players get help, an `https:` or `mailto:` address; unset: pages have no such link',
  ),
} as const;

function brandName(text: string): string {
  if ([...text].length > 40 || printable(text) !== text) {
    throw new Error('must be a name of at most 40 characters in one line');
  }
  return text;
}

function accent(text: string): string {
  if (!/^#[0-9a-f]{6}$/i.test(text)) throw new Error(`must be a colour such as #f5b301, not "${text}"`);
  return text.toLowerCase();
}

type Logo = { readonly name: string; readonly type: string; readonly body: Buffer };

const MAX_LOGO_BYTES = 32 * 1024;

/** Read once, so that a wrong file stops the start and not a page. The operator is trusted: the content is not checked further. */
function logoFile(path: string): Logo {
  const file = read(path);
  if (file && file.length <= MAX_LOGO_BYTES) {
    const start = file.toString('latin1', 0, 256);
    if (start.startsWith('\x89PNG\r\n')) return { name: 'logo.png', type: 'image/png', body: file };
    if (/^RIFF.{4}WEBP/s.test(start)) return { name: 'logo.webp', type: 'image/webp', body: file };
    if (/<svg[\s>]/.test(start)) return { name: 'logo.svg', type: 'image/svg+xml', body: file };
  }
  throw new Error(`must name an SVG, PNG or WebP file of at most ${MAX_LOGO_BYTES / 1024} kB, not "${path}"`);
}

function read(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch {
    return null;
  }
}
