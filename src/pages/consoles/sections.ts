import type { FastifyInstance } from 'fastify';
import type { App } from '../../identity/apps.ts';
import { extensionPoint, type Load } from '../../service/house.ts';
import type { Service } from '../../service/service.ts';
import type { Markup } from '../../web/layout.ts';
import type { ProgressStreams } from '../../web/progress-streams.ts';
import type { SignedInRoutes } from '../../web/visitor.ts';
import type { ConsoleContent, ConsoleSection } from './console.ts';
import type { OperatorRoutes } from './operator-frame.ts';

/** `path` continues `/operator`. */
export const OPERATOR_SECTIONS = extensionPoint<ConsoleSection>('sections of the operators’ console');

export const OPERATOR_ROUTES = extensionPoint<Load<(operators: OperatorRoutes, service: Service) => void>>(
  'pages of the operators’ console',
);

/** `path` continues the address of an app. */
export const APP_SECTIONS = extensionPoint<ConsoleSection>('sections of an app in the developers’ console');

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

/** `path` continues the address of an app. */
export const PAYMENT_FILES = extensionPoint<{ readonly path: string; readonly label: string }>(
  'files beside the payments of an app in the developers’ console',
);
