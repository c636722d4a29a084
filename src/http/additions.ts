import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RequestContext } from '../base/log.ts';
import { extensionPoint, type Load } from '../service/house.ts';
import type { Service } from '../service/service.ts';

export const PROBES =
  extensionPoint<Load<(service: Service) => (server: FastifyInstance) => Promise<void>>>('addresses beside /healthz');

export type EndedCall = {
  readonly context: RequestContext;
  /** The pattern. */
  readonly route: string | undefined;
  /** False if the caller went away first. */
  readonly isComplete: boolean;
  readonly milliseconds: number;
};

/** Waits for nothing, as it runs between the answers of payments. */
export type TakeCall = (request: FastifyRequest, reply: FastifyReply, ended: EndedCall) => void;

export const CALL_ENDED = extensionPoint<Load<(service: Service) => TakeCall>>('takes each request that is over');

/** A metric with its values. */
export type Family = {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly values: readonly { readonly labels: Readonly<Record<string, string>>; readonly count: number }[];
};

export const COUNTERS = extensionPoint<(service: Service) => Family>('counters of `/metrics`');
