import type { Address } from '../../base/address.ts';
import { type RequestId, transferIdOf } from '../../base/ids.ts';
import { invalidInput, Problem } from '../../base/problems.ts';
import type { IdempotencyKey } from '../../idempotency/keys.ts';
import { lookUpApp } from '../../identity/apps.ts';
import type { Caller } from '../../identity/callers.ts';
import { isSameAccount } from '../../ledger/accounts.ts';
import { lookUpRequest, type TransferRequest } from '../../requests/requests.ts';
import type { Accepted } from '../../service/instruction.ts';
import { tellingRefusals } from '../../service/moments.ts';
import type { Service } from '../../service/service.ts';
import { earlierAnswer } from '../../settlement/accept/idempotent-answers.ts';
import { withoutAsking } from '../../views/approvals/confirmation.ts';
import { mayRead } from '../../views/requests/read-requests.ts';

export type AutoApproval = {
  readonly requestId: RequestId;
  readonly clientId: string;
  readonly userId: string;
  /** The user's account. A caller with only a server API key need not know it. */
  readonly address?: Address;
  readonly idempotency?: IdempotencyKey | undefined;
};

/**
 * Approves a pending request under the user's mandate for the app, with the user's access token or a server API key of the app. The key's
 * own daily cap applies beside the limits of the mandate. If it refuses, the request stays pending, so that the approval page still works.
 */
export async function autoApprove(service: Service, caller: Caller, input: AutoApproval): Promise<Accepted> {
  if (caller.kind === 'user' && input.address === undefined) {
    throw invalidInput('/address', 'is required with an access token');
  }
  const earlier = input.idempotency && (await earlierAnswer(service.db, input.idempotency));
  if (earlier) return earlier;
  if (input.clientId !== caller.appId) {
    throw new Problem('app-mismatch', 'The credential belongs to a different app than clientId.');
  }
  const request = await lookUpRequest(service.db, input.requestId);
  if (request?.source !== 'user' || !mayRead(caller, request)) {
    throw new Problem('not-found', 'There is no such request of yours.');
  }
  if (input.userId !== request.userId) throw invalidInput('/userId', 'must be the user of the request');
  if (input.address !== undefined && !(await isSameAccount(service.db, input.address, request.from))) {
    throw invalidInput('/address', "must be the account of the request's user");
  }
  const { appId, userId } = request;
  await tellingRefusals(service, { kind: 'auto-approval', appId, userId }, refuseByRules(service, request));
  return service.accept({
    transferId: transferIdOf(request.id),
    from: request.from,
    to: request.to,
    amount: request.amount,
    idempotency: input.idempotency,
    origin: {
      kind: 'approval',
      requestId: request.id,
      userId: request.userId,
      appId: request.appId,
      actor: `app:${request.appId}`,
      by: 'mandate',
      ...(caller.kind === 'app' && { keyHash: caller.keyHash }),
    },
  });
}

/** A decided request gets the answer of its status, whatever the operator has changed in the meantime. */
async function refuseByRules(service: Service, { status, appId, amount }: TransferRequest): Promise<void> {
  if (status !== 'pending') return;
  if (!(await lookUpApp(service.db, appId))?.autoApprove) {
    throw new Problem('auto-approve-not-enabled', 'The operator has not enabled this app for auto approval.');
  }
  if (withoutAsking(service, amount) < amount) {
    const above = service.settings.confirmAbove;
    throw new Problem(
      'auto-approve-limit',
      `Payments above ${above} quarters must be approved by the user on the approval page.`,
    );
  }
}
