import type { TakeCall } from '../../../http/additions.ts';
import type { Service } from '../../../service/service.ts';
import { seenPlayersOf } from '../features/note-seen.ts';

/** Notes whom a call is from. It costs a look into memory, and nothing is written before the call is over. */
export function callerNoter(service: Service): TakeCall {
  const players = seenPlayersOf(service);
  return (_request, _reply, { context }) => {
    if (context.userId !== undefined) players.note(context.userId, Date.now());
  };
}
