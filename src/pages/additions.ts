import type { FastifyInstance } from 'fastify';
import type { UserId } from '../base/ids.ts';
import type { App } from '../identity/apps.ts';
import { extensionPoint, type Load } from '../service/house.ts';
import type { Service } from '../service/service.ts';
import type { IconName } from '../web/icons.ts';
import type { Markup } from '../web/layout.ts';
import type { ProgressStreams } from '../web/progress-streams.ts';
import type { SignedInRoutes } from '../web/visitor.ts';
import type { Words } from '../words/words.ts';
import type { ConsoleContent } from './consoles/console.ts';
import type { OperatorRoutes } from './consoles/operator-frame.ts';

/** Each opens a scope of its own (`web/page-scope.ts`). */
export const PAGES =
  extensionPoint<Load<(server: FastifyInstance, service: Service) => void | Promise<void>>>('hosted pages');

/** A line of a menu: where it leads, and what is there now. */
export type MenuEntry = {
  readonly path: string;
  readonly sign: IconName;
  readonly label: string;
  readonly now: string;
};

/** Null: there is nothing to lead to. */
export const ACCOUNT_DATA = extensionPoint<Load<(service: Service, words: Words) => Promise<MenuEntry | null>>>(
  'what an account page leads to, among its data',
);

/** What a wing knows of a player, on the operators' page about them; false: nothing. */
export const PLAYER_PANELS = extensionPoint<Load<(service: Service, user: UserId) => Promise<Markup | false>>>(
  'panels of the page about a player',
);

export const OPERATOR_ROUTES = extensionPoint<Load<(operators: OperatorRoutes, service: Service) => void>>(
  'pages of the operators’ console',
);

/** `pages`: the scope of `visitors`, for routes with a guard of their own. */
export type AddDeveloperRoutes = (
  visitors: SignedInRoutes,
  service: Service,
  pages: FastifyInstance,
  streams: ProgressStreams,
) => void | Promise<void>;

/** Only where there is a console for them (`service/console-path.ts`). */
export const DEVELOPER_ROUTES = extensionPoint<Load<AddDeveloperRoutes>>('pages of the developers’ console');

/** How an app is doing. */
export type AppOverview = Pick<ConsoleContent, 'content' | 'action' | 'scripts'> & {
  /** Stands before what the page itself says, and `content` after it. */
  readonly figures: Markup;
  /** In so many seconds there is more to see. */
  readonly againAfter?: number | undefined;
};

export const APP_OVERVIEW = extensionPoint<Load<(service: Service, app: App, query: unknown) => Promise<AppOverview>>>(
  'how an app is doing, on its first page in the developers’ console',
);
