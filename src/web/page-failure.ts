import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../base/problems.ts';
import { retryAfterSeconds } from '../base/retry-after.ts';
import type { Service } from '../usecases/service.ts';
import { databaseProblem } from '../usecases/system/database-problem.ts';

/**
 * What a page's error is, as a Problem where it is one, and the status of its answer: that of the problem, of the framework's own refusals (a form too
 * large, not a form), or 500. Notes what is our fault, and says when to try again.
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
