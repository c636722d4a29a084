import type { FastifyInstance } from 'fastify';
import { extensionPoint, type Load } from '../service/house.ts';
import type { Service } from '../service/service.ts';
import type { ProgressStreams } from '../web/progress-streams.ts';
import type { SignedInRoutes } from '../web/visitor.ts';
import type { OperatorRoutes } from './consoles/operator-frame.ts';

/** Each opens a scope of its own (`web/page-scope.ts`). */
export const PAGES =
  extensionPoint<Load<(server: FastifyInstance, service: Service) => void | Promise<void>>>('hosted pages');

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

export const DEVELOPER_ROUTES = extensionPoint<Load<AddDeveloperRoutes>>('pages of the developers’ console');
