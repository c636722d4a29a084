import type { Json } from '../../../base/json.ts';
import { basesOf } from '../../../config/bases.ts';
import { consolePath, DEVELOPERS_CONSOLE } from '../../../service/console-path.ts';
import type { Service } from '../../../service/service.ts';
import type { Entry } from '../../../web/assets/docs-find.js';
import type { DocsPage, Shelf } from './docs-frame.ts';
import { groupPath, OPERATE, PROBLEMS_PATH, REFERENCE, START } from './docs-paths.ts';
import { documentedGroups } from './documented-calls.ts';
import { readGuides } from './guides.ts';
import { eventTypesOf, groupContent, problemsContent, referenceContent } from './reference-pages.ts';
import { searchEntries } from './search-entries.ts';
import { operateContent, startContent } from './start-page.ts';

/** All of the documentation: its pages by path, and what the search looks through. */
export type DocsSite = {
  readonly shelf: Shelf;
  readonly pages: ReadonlyMap<string, DocsPage>;
  readonly entries: readonly Entry[];
};

/** Makes it from the API's description and the guides. */
export async function openDocs(
  { settings, publicUrl, house }: Pick<Service, 'settings' | 'publicUrl' | 'house'>,
  document: Json,
): Promise<DocsSite> {
  const bases = basesOf(settings, publicUrl);
  const guides = await readGuides(settings, publicUrl);
  const groups = documentedGroups(document);
  const events = eventTypesOf(document);
  const shelf = { guides, groups, console: consolePath(house, DEVELOPERS_CONSOLE) };
  const pages: DocsPage[] = [
    { path: START, title: 'Documentation', content: startContent(shelf) },
    ...guides.map(({ path, title, content, sections }) => ({
      path,
      title,
      content,
      contents: sections.filter(({ depth }) => depth === 2 || depth === 3),
    })),
    { path: OPERATE, title: 'Operate', content: operateContent(guides) },
    { path: REFERENCE, title: 'API reference', content: referenceContent(document, shelf, bases) },
    ...groups.map((group) => ({
      path: groupPath(group),
      title: group.name,
      content: groupContent(group, bases.api, shelf.console, group.name === 'Events' ? events : []),
    })),
    { path: PROBLEMS_PATH, title: 'Problems', content: problemsContent(document, groups) },
  ];
  return {
    shelf,
    pages: new Map(pages.map((page) => [page.path, page])),
    entries: searchEntries(guides, groups, events),
  };
}
