import { html } from 'hono/html';
import type { House } from '../service/house.ts';
import { DOCUMENTS } from './header-links.ts';
import type { Markup } from './layout.ts';

/** A link to a page of the documents, whose path `page` continues. False where they are not served. */
export function documentsLink(house: House, page: string, text: string): Markup | false {
  const [path] = house.of(DOCUMENTS);
  return path !== undefined && html`<a href="${path}${page}">${text}</a>`;
}
