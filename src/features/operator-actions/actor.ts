import type { ActionActor } from '../../operator-actions/operator-actions.ts';
import type { ActingOperator } from '../operators/operators.ts';

/** How an action names whoever asked for it or decided it. */
export function actorOf(operator: ActingOperator): ActionActor {
  return operator.kind === 'person' ? `user:${operator.session.userId}` : `shell:${operator.osUser}`;
}
