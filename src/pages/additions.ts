import type { FastifyInstance } from 'fastify';
import { extensionPoint, type Load } from '../service/house.ts';
import type { Service } from '../service/service.ts';
import type { IconName } from '../web/icons.ts';
import type { Words } from '../words/words.ts';

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
