import { html } from 'hono/html';
import type { MarkedToken, Token, Tokens } from 'marked';
import type { Markup } from '../../../web/layout.ts';

/** Where a link of the page leads: an address, or a file of the sources that is not served here. */
export type LinkTarget = (href: string) => { readonly address: string } | { readonly file: string };

/** What stands within a line: text, code, links. HTML within the Markdown is left out. */
export function spans(tokens: readonly Token[], targetOf: LinkTarget): Markup[] {
  return (tokens as readonly MarkedToken[]).map((token) => span(token, targetOf));
}

function span(token: MarkedToken, targetOf: LinkTarget): Markup {
  switch (token.type) {
    case 'strong':
      return html`<strong>${spans(token.tokens, targetOf)}</strong>`;
    case 'em':
      return html`<em>${spans(token.tokens, targetOf)}</em>`;
    case 'codespan':
      return html`<code>${breakable(token.text)}</code>`;
    case 'br':
      return html`<br>`;
    case 'link':
      return link(token, targetOf);
    case 'image':
      return image(token, targetOf);
    default:
      return html`${plainText([token])}`;
  }
}

function link({ href, tokens }: Tokens.Link, targetOf: LinkTarget): Markup {
  const target = targetOf(href);
  const content = spans(tokens, targetOf);
  if ('file' in target) {
    const { file } = target;
    return html`${content}${plainText(tokens) !== file && html` in <code>${breakable(file)}</code>`}`;
  }
  const { address } = target;
  return html`<a href="${address}"${/^https?:/.test(address) && html` rel="noreferrer"`}>${content}</a>`;
}

/** A picture that is not served here is its text. */
function image({ href, text }: Tokens.Image, targetOf: LinkTarget): Markup {
  const target = targetOf(href);
  return 'file' in target ? html`${text}` : html`<img src="${target.address}" alt="${text}">`;
}

/** A path or address may go on in the next line after each slash. */
function breakable(code: string): Markup {
  return html`${code.split(/(?<=[^/:]\/)/).map((part, at) => (at === 0 ? part : html`<wbr>${part}`))}`;
}

/** The text alone. */
export function plainText(tokens: readonly Token[]): string {
  return (tokens as readonly MarkedToken[]).map(textOf).join('');
}

function textOf(token: MarkedToken): string {
  switch (token.type) {
    case 'html':
    case 'space':
      return '';
    case 'br':
      return ' ';
    case 'list':
      return token.items.map((item) => plainText(item.tokens)).join(' ');
    case 'table':
      return [token.header, ...token.rows]
        .flat()
        .map(({ tokens }) => plainText(tokens))
        .join(' ');
    default:
      if ('tokens' in token && token.tokens) return plainText(token.tokens);
      return 'text' in token ? token.text : token.raw;
  }
}
