import type { FastifyRequest } from 'fastify';
import { countGuess, fromPlace } from '../../features/credentials/count-guess.ts';
import type { Service } from '../../settlement/service.ts';
import { clientAddress } from '../../web/client-address.ts';
import type { Message } from '../../web/message-page.ts';
import { readVisitor } from '../../web/visitor.ts';

/**
 * Counts a request for which the provider stores something for an hour. Signed-out visitors are counted by their network address,
 * which hundreds share in a mobile network or a school: so the limit is three times that of sign-ins from one place. Signed-in users
 * are counted one by one. Throws `too-many-tries`.
 */
export async function countArrival(service: Service, what: string, request: FastifyRequest): Promise<void> {
  const visitor = await readVisitor(service, request);
  const limits = visitor
    ? [{ key: `user ${visitor.user.id}`, most: 300, minutes: 15 }]
    : fromPlace(clientAddress(request), 300, 15);
  await countGuess(service, what, limits);
}

const MAX_VALUE = 2000;

/** Request parameters are stored until the request is answered, so their length is limited. */
export function isTooLong(query: URLSearchParams): boolean {
  return [...query.values()].some(({ length }) => length > MAX_VALUE);
}

export const TOO_LONG: Message = {
  status: 400,
  title: 'The link is too long',
  text: `One of its values is longer than ${MAX_VALUE} characters. Nothing was shared with the game. Go back to it and try again. If this happens again, tell its developer.`,
};
