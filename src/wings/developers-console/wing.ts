import { DEVELOPER_ROUTES } from '../../pages/additions.ts';
import { APP_SECTIONS } from '../../pages/consoles/sections.ts';
import { DEVELOPERS_CONSOLE } from '../../service/console-path.ts';
import type { Wing } from '../../service/house.ts';
import { HEADER_LINKS } from '../../web/header-links.ts';

/** Pages on which developers run their apps. */
export const developersConsole: Wing = {
  name: 'developers-console',
  mount(house) {
    house.add(DEVELOPERS_CONSOLE, '/developer');
    house.add(HEADER_LINKS, ({ console, developer }, forDevelopers) => ({
      path: '/developer',
      sign: 'code',
      label: forDevelopers ? console : developer,
    }));
    house.add(
      APP_SECTIONS,
      { name: 'overview', path: '', label: 'Overview', sign: 'chart', at: 10 },
      { name: 'payments', path: '/payments', label: 'Payments', sign: 'exchange', at: 20 },
      { name: 'webhooks', path: '/webhooks', label: 'Webhooks', sign: 'bell', at: 40 },
      { name: 'team', path: '/team', label: 'Team', sign: 'team', at: 50 },
      { name: 'keys', path: '/keys', label: 'Keys', sign: 'key', at: 60 },
      { name: 'settings', path: '/settings', label: 'Settings', sign: 'settings', at: 70 },
    );
    house.add(DEVELOPER_ROUTES, async () => (await import('./pages/developer-routes.ts')).developerRoutes);
  },
};
