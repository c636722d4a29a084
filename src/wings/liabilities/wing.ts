import { COMMANDS } from '../../cli/additions.ts';
import { ACCOUNT_DATA, OPERATOR_ROUTES, PAGES } from '../../pages/additions.ts';
import { OPERATOR_SECTIONS } from '../../pages/consoles/sections.ts';
import type { Wing } from '../../service/house.ts';
import { TAKEN_BACK } from '../../service/moments.ts';

/** Publishes proofs of what all players own, which each player can check. */
export const liabilities: Wing = {
  name: 'liabilities',
  mount(house) {
    house.add(COMMANDS, {
      name: 'liabilities',
      load: async () => (await import('./cli/liabilities.ts')).addLiabilitiesCommands,
    });
    house.add(OPERATOR_SECTIONS, {
      name: 'liabilities',
      path: '/liabilities',
      label: 'Liabilities',
      sign: 'scales',
      at: 70,
    });
    house.add(OPERATOR_ROUTES, async () => (await import('./pages/liabilities-page.ts')).liabilitiesRoutes);
    house.add(PAGES, async () => {
      const [{ publicLiabilitiesRoutes }, { proofRoutes }, { pageScope }] = await Promise.all([
        import('./pages/public-liabilities.ts'),
        import('./pages/proof.ts'),
        import('../../web/page-scope.ts'),
      ]);
      return (server, service) =>
        pageScope(server, service, (pages) => {
          publicLiabilitiesRoutes(pages, service);
          proofRoutes(pages, service);
        });
    });
    house.add(ACCOUNT_DATA, async () => (await import('./pages/proof.ts')).proofEntry);
    house.add(TAKEN_BACK, async () => {
      const { withdrawPublicationsAbove } = await import('./store/publications.ts');
      return async (tx, above) => ({
        what: 'proofs of liabilities',
        blocks: await withdrawPublicationsAbove(tx, above),
      });
    });
  },
};
