import type { FastifyInstance } from 'fastify';
import type { UserId } from '../../base/ids.ts';
import { extensionPoint, type Load } from '../../service/house.ts';
import type { Service } from '../../service/service.ts';
import type { Markup } from '../../web/layout.ts';
import type { ProgressStreams } from '../../web/progress-streams.ts';
import type { SignedInRoutes } from '../../web/visitor.ts';
import type { ConsoleSection } from './console.ts';
import type { OperatorRoutes } from './operator-frame.ts';

/** `path` continues `/operator`. */
export const OPERATOR_SECTIONS = extensionPoint<ConsoleSection>('sections of the operators’ console');

export const OPERATOR_ROUTES = extensionPoint<Load<(operators: OperatorRoutes, service: Service) => void>>(
  'pages of the operators’ console',
);

/** What a wing knows of a player, on the operators' page about them; false: nothing. */
export const PLAYER_PANELS = extensionPoint<Load<(service: Service, user: UserId) => Promise<Markup | false>>>(
  'panels of the page about a player',
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

export const DEVELOPER_ROUTES = extensionPoint<Load<AddDeveloperRoutes>>('pages of the developers’ console');
