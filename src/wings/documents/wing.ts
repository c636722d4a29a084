import { PAGES } from '../../pages/additions.ts';
import type { Wing } from '../../service/house.ts';
import { DOCUMENTS, HEADER_LINKS } from '../../web/header-links.ts';

/** The guides at `/docs`, with examples to try. */
export const documents: Wing = {
  name: 'documents',
  mount(house) {
    house.add(HEADER_LINKS, ({ docs }, forDevelopers) =>
      forDevelopers ? { path: '/docs', sign: 'book', label: docs } : null,
    );
    house.add(DOCUMENTS, '/docs');
    house.add(PAGES, async () => {
      const { docsRoutes } = await import('./pages/docs-routes.ts');
      return async (server, service) => {
        await server.register(async (documents) => docsRoutes(documents, service));
      };
    });
  },
};
