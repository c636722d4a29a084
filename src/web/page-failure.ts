import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../base/problems.ts';
import { retryAfterSeconds } from '../base/retry-after.ts';
import type { Service } from '../settlement/service.ts';
import { databaseProblem } from '../settlement/unknown-outcome.ts';

/**
 * A page's error, as a Problem if it is one, and the status of the response: the problem's, the framework's (a form too large, not
 * a form), or 500. Logs our own faults and sets `Retry-After`.
 */
export function failureOf(
  { log }: Pick<Service, 'log'>,
  thrown: unknown,
  { id, method, routeOptions }: FastifyRequest,
  reply: FastifyReply,
): { error: unknown; status: number } {
  const error = databaseProblem(thrown) ?? thrown;
  const status = error instanceof Problem ? error.status : ((error as { statusCode?: number }).statusCode ?? 500);
  if (status === 500) log.error({ err: error, requestId: id, method, route: routeOptions.url }, 'a page failed');
  const seconds = error instanceof Problem ? retryAfterSeconds(error.code) : undefined;
  if (seconds !== undefined) reply.header('retry-after', seconds);
  return { error, status };
}
