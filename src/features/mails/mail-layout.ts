import { html } from 'hono/html';
import { type Theme, themeOf } from '../../base/theme.ts';
import type { Settings } from '../../config/settings.ts';
import type { Words } from '../../words/words.ts';

/** A piece of a mail: a paragraph, a code to type, lines that stand by themselves, or a link to a page of ours. */
export type MailPart =
  | string
  | { readonly code: string }
  | { readonly lines: readonly string[] }
  | { readonly link: string; readonly label: string };

/** What a mail says. The text and the HTML are both made from this. Only the HTML has the labels of links. */
export type MailContent = {
  readonly subject: string;
  /** Heads the HTML, where the subject begins with a code. Without it: the subject. */
  readonly heading?: string;
  readonly parts: readonly MailPart[];
};

/** Writes a mail in the language of the person who gets it. */
export type WriteMail = (words: Words) => MailContent;

/** Whose mails they are. */
export type Brand = Pick<Settings, 'brandName' | 'brandAccent'>;

/** As plain text. What is not a paragraph is indented by four spaces. A link is its address, which the part before it introduces. */
export function textOf({ parts }: MailContent): string {
  const lines = (part: Exclude<MailPart, string>) =>
    'code' in part ? [part.code] : 'link' in part ? [part.link] : part.lines;
  return parts
    .map((part) =>
      typeof part === 'string'
        ? part
        : lines(part)
            .map((line) => `    ${line}`)
            .join('\n'),
    )
    .join('\n\n');
}

const FONT = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif";
const MONO = 'font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace';
const CELL = `padding:0 28px;${FONT};font-size:16px;line-height:24px;color:#1d1f22`;

/** Mail programs that know colour schemes use these. The others keep the light colours of the style attributes. */
const darkStyle = ({ dark }: Theme) => html`<style>
@media (prefers-color-scheme: dark) {
  .ground { background: #111315 !important; }
  .card { background: #1a1c1f !important; }
  .ink { color: #eceef0 !important; }
  .soft { color: #a3a9b0 !important; }
  .box { background: #26292d !important; }
  .mark { color: ${dark.ink} !important; }
  .edge { border-color: ${dark.ink} !important; }
}
</style>`;

/**
 * As HTML, with inline styles, because mail programs know little else. It has no image and loads nothing, so nobody learns when it is
 * read. Every value is escaped: names come from games. The language stands on the table too, since mail programs drop it with `html`.
 */
export async function htmlOf(
  { subject, heading = subject, parts }: MailContent,
  brand: Brand,
  { language, direction }: Pick<Words, 'language' | 'direction'>,
): Promise<string> {
  const theme = themeOf(brand.brandAccent);
  const { ink } = theme.light;
  const page = html`<!doctype html>
<html lang="${language}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${subject}</title>
${darkStyle(theme)}
</head>
<body class="ground" style="margin:0;padding:0;background:#f4f4f2">
<table role="presentation" class="ground" lang="${language}" dir="${direction}" width="100%" cellspacing="0" cellpadding="0" style="background:#f4f4f2"><tr><td align="center" style="padding:24px 12px">
<table role="presentation" class="card edge" width="100%" cellspacing="0" cellpadding="0" style="max-width:520px;background:#ffffff;border-top:6px solid ${ink};border-radius:12px">
<tr><td class="soft" style="${CELL};padding-top:20px;font-size:14px;font-weight:600;color:#5c6168"><span class="mark" style="color:${ink}">&#9679;</span> ${brand.brandName}</td></tr>
<tr><td class="ink" style="${CELL};padding-top:8px;padding-bottom:16px"><h1 style="margin:0;font-size:22px;line-height:28px">${heading}</h1></td></tr>
${parts.map((part) => html`<tr><td class="ink" style="${CELL};padding-bottom:16px">${partOf(part, ink)}</td></tr>\n`)}
<tr><td style="padding:0 0 12px"></td></tr>
</table>
</td></tr></table>
</body>
</html>
`;
  return String(await page);
}

/** `ink`: the accent as a thin line. */
function partOf(part: MailPart, ink: string) {
  if (typeof part === 'string') return part;
  if ('code' in part) {
    return html`<div class="box" style="padding:14px 16px;border-radius:8px;background:#f0f0ed;${MONO};font-size:32px;line-height:40px;font-weight:700;letter-spacing:4px;text-align:center;user-select:all">${part.code}</div>`;
  }
  if ('lines' in part) {
    // An address is read from left to right, and a name as its letters are, in a mail of any language.
    return html`<div class="box" style="padding:10px 16px;border-radius:8px;background:#f0f0ed;overflow-wrap:anywhere">${part.lines.map(
      (line) => html`<div dir="auto">${line}</div>`,
    )}</div>`;
  }
  // The address is shown too, so that a reader sees where the link leads.
  return html`<a class="ink edge" href="${part.link}" style="display:inline-block;padding:10px 18px;border:2px solid ${ink};border-radius:8px;color:#1d1f22;font-weight:600;text-decoration:none">${part.label}</a><br><span class="soft" dir="ltr" style="font-size:13px;color:#5c6168;overflow-wrap:anywhere">${part.link}</span>`;
}
