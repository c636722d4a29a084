import type { Group } from './read-document.ts';

export const START = '/docs';
/** The operators' guides: the table of contents, and below it each guide. */
export const OPERATE = '/docs/operate';
export const REFERENCE = '/docs/reference';
export const PROBLEMS_PATH = `${REFERENCE}/problems`;
export const SEARCH = '/docs/search';
/** What the search looks through, for the script. */
export const SEARCH_INDEX = '/docs/search.json';

export function groupPath({ slug }: Pick<Group, 'slug'>): string {
  return `${REFERENCE}/${slug}`;
}

export function problemPath(code: string): string {
  return `${PROBLEMS_PATH}#${code}`;
}

/** Event types are listed with the calls about events. */
export function eventPath(type: string): string {
  return `${REFERENCE}/events#${type}`;
}
