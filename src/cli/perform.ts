import { randomUUIDv7 } from 'node:crypto';
import { Problem, type ProblemCode } from '../base/problems.ts';
import type { ActionInput, ActionPreview } from '../features/operator-actions/action-deed.ts';
import type { ActionParams } from '../features/operator-actions/canonical-params.ts';
import { actionKindNamed } from '../features/operator-actions/kinds.ts';
import { type ActionRequest, type Performed, performAction } from '../features/operator-actions/perform-action.ts';
import { previewAction } from '../features/operator-actions/read-actions.ts';
import type { ActingOperator } from '../features/operators/operators.ts';
import type { ActionRow } from '../operator-actions/operator-actions.ts';
import type { Service } from '../service/service.ts';
import { untilArrived } from './arrival.ts';
import type { CliContext } from './command.ts';
import { confirm } from './confirm.ts';
import { CommandEnd } from './exit-codes.ts';
import { formatFacts, readableTime } from './format.ts';
import { osUserName } from './os-user.ts';
import type { ActOptions } from './reason.ts';

const NO_REASON = 'No reason given.';

type Act = Pick<ActionRequest, 'kind' | 'key'> & {
  readonly params: ActionInput;
  /** Answered with y or yes. */
  readonly question: string;
  /** Without a terminal and without `--yes`: true refuses, false goes on as the command always did. */
  readonly mustConfirm?: boolean;
};

/**
 * Does what a command asks for, after showing it and asking. Returns the action that is done.
 *
 * Throws {@link CommandEnd} (`needsApproval`) if another person must approve it first, and the problem of an action that failed.
 */
export async function act(
  context: CliContext,
  options: ActOptions,
  service: Service,
  { kind, params, key, question, mustConfirm = false }: Act,
): Promise<Performed> {
  if (!options.yes && (mustConfirm || context.in?.isTTY)) {
    const preview = await previewAction(service, kind, params);
    await confirm(context, options, { what: previewText(preview), question });
  }
  const request = { id: randomUUIDv7(), kind, params, key, reason: options.reason ?? NO_REASON };
  const performed = await performAction(service, shellOperator(), request);
  endUnlessDone(performed.action);
  return performed;
}

/** Throws what a program must know of an action that is not done. */
export function endUnlessDone(action: ActionRow): void {
  const { id, state, expiresAt, result } = action;
  if (state === 'waiting') {
    throw new CommandEnd(
      'needsApproval',
      `Nothing was done: action ${id} waits until ${readableTime(expiresAt!)} for the approval of another operator, at /operator/actions or with \`quarters actions approve ${id}\`.`,
    );
  }
  if (state === 'failed') throw new Problem(`${result?.code}` as ProblemCode, `${result?.message}`);
}

/** Waits until whoever got quarters by an action can spend them. */
export async function untilActionArrived(context: CliContext, service: Service, action: ActionRow): Promise<void> {
  const { hasArrived } = actionKindNamed(action.kind);
  if (!hasArrived || action.state !== 'done') return;
  const params = JSON.parse(action.params) as ActionParams;
  const see = action.transferId === null ? `actions show ${action.id}` : `transfers show ${action.transferId}`;
  await untilArrived(context, service, () => hasArrived(service, params, action), see);
}

/** Whoever runs this command. */
export function shellOperator(): ActingOperator {
  return { kind: 'shell', osUser: osUserName() };
}

export function previewText({ sentence, facts, warnings = [] }: ActionPreview): string {
  const noted = warnings.map((warning) => `Note: ${warning}\n`).join('');
  return `${sentence}\n${facts.length > 0 ? formatFacts(facts) : ''}${noted}`;
}
