import { html } from 'hono/html';
import type { MarkedToken, Token, Tokens } from 'marked';
import { en } from '../../../../words/en.ts';
import { copyBlock } from '../../../web/copyable.ts';
import type { Markup } from '../../../web/layout.ts';
import { type LinkTarget, plainText, spans } from './markdown-spans.ts';

/** A heading and the text up to the next one, as the table of contents and the search need them. */
export type GuideSection = {
  /** Empty for the page's own heading. */
  readonly id: string;
  readonly depth: number;
  readonly heading: string;
  readonly text: string;
};

export type Rendered = {
  /** The first heading. */
  readonly title: string;
  readonly content: Markup;
  readonly sections: readonly GuideSection[];
};

/**
 * Renders Markdown with our own templates, which escape by type: the library only reads it. `tokens`: what its lexer made of the
 * page.
 */
export function renderMarkdown(tokens: readonly Token[], targetOf: LinkTarget): Rendered {
  const writer = new Writer(targetOf);
  const content = html`${(tokens as readonly MarkedToken[]).map((token) => writer.section(token))}`;
  return { title: writer.sections[0]?.heading ?? '', content, sections: writer.sections };
}

class Writer {
  readonly sections: { id: string; depth: number; heading: string; text: string }[] = [];
  readonly #targetOf: LinkTarget;
  readonly #anchors = new Map<string, number>();

  constructor(targetOf: LinkTarget) {
    this.#targetOf = targetOf;
  }

  /** A block of the page itself, whose text belongs to the section it stands in. */
  section(token: MarkedToken): Markup {
    if (token.type === 'heading') return this.#heading(token);
    const section = this.sections.at(-1);
    if (section) section.text += `${plainText([token])} `;
    return this.#block(token);
  }

  #spans(tokens: readonly Token[]): Markup[] {
    return spans(tokens, this.#targetOf);
  }

  #heading({ depth, tokens }: Tokens.Heading): Markup {
    const heading = plainText(tokens);
    const id = depth === 1 ? '' : anchorOf(heading, this.#anchors);
    this.sections.push({ id, depth, heading, text: '' });
    const content = html`${this.#spans(tokens)}${id && anchorLink(id, heading)}`;
    if (depth === 1) return html`<h1>${content}</h1>`;
    if (depth === 2) return html`<h2 id="${id}">${content}</h2>`;
    return depth === 3 ? html`<h3 id="${id}">${content}</h3>` : html`<h4 id="${id}">${content}</h4>`;
  }

  #block(token: MarkedToken): Markup {
    switch (token.type) {
      case 'paragraph':
        return html`<p>${this.#spans(token.tokens)}</p>`;
      case 'text':
        return html`${this.#spans(token.tokens ?? [])}`;
      case 'code':
        return copyBlock(en, token.text, `example: ${this.sections.at(-1)?.heading ?? ''}`);
      case 'blockquote':
        return html`<blockquote>${this.#blocks(token.tokens)}</blockquote>`;
      case 'list':
        return this.#list(token);
      case 'table':
        return this.#table(token);
      case 'hr':
        return html`<hr>`;
      default:
        return html``;
    }
  }

  #blocks(tokens: readonly Token[]): Markup[] {
    return (tokens as readonly MarkedToken[]).map((token) => this.#block(token));
  }

  #list({ ordered, start, items }: Tokens.List): Markup {
    const entries = items.map(({ tokens }) => html`<li>${this.#blocks(tokens)}</li>`);
    return ordered ? html`<ol start="${Number(start) || 1}">${entries}</ol>` : html`<ul>${entries}</ul>`;
  }

  /** The roles remain where the style makes blocks of rows and cells, on phones. `data-label`: the column's name, shown there. */
  #table({ header, rows }: Tokens.Table): Markup {
    const names = header.map(({ tokens }) => plainText(tokens));
    const head = ({ tokens }: Tokens.TableCell) =>
      html`<th role="columnheader" scope="col">${this.#spans(tokens)}</th>`;
    const cell = ({ tokens }: Tokens.TableCell, column: number) =>
      html`<td role="cell" data-label="${names[column]}"><span>${this.#spans(tokens)}</span></td>`;
    return html`<table role="table">
<thead role="rowgroup"><tr role="row">${header.map(head)}</tr></thead>
<tbody role="rowgroup">${rows.map((row) => html`<tr role="row">${row.map(cell)}</tr>`)}</tbody>
</table>`;
  }
}

/** A link from a heading to itself, for people who want to send its address. */
export function anchorLink(id: string, heading: string): Markup {
  return html` <a class="anchor" href="#${id}" aria-label="Link to: ${heading}">#</a>`;
}

/** As GitHub makes them, so that a link works in the repository and here. The second heading of a name ends in `-1`. */
function anchorOf(heading: string, known: Map<string, number>): string {
  const name = heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
  const count = known.get(name) ?? 0;
  known.set(name, count + 1);
  return count === 0 ? name : `${name}-${count}`;
}
