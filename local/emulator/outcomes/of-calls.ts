import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AddOperationHooks } from '../../../src/api/additions.ts';
import { callerOf } from '../../../src/api/caller.ts';
import { type RequestId, requestIdFrom } from '../../../src/base/ids.ts';
import { Problem } from '../../../src/base/problems.ts';
import { lookUpRequest } from '../../../src/requests/requests.ts';
import type { Service } from '../../../src/service/service.ts';
import { magicOutcome } from './magic-amounts.ts';
import { type ArmedOutcomes, type Called, type CallOutcome, isOfCall } from './outcome.ts';

const calls = new AsyncLocalStorage<Called>();

/** The call that accepts something at this moment; null: there is none. */
export const currentCall = (): Called | null => calls.getStore() ?? null;

/** Gives calls their outcomes, where the service itself would. `onCreated` is called before a new request is answered. */
export function outcomesOfCalls(
  armed: ArmedOutcomes,
  onCreated: (id: RequestId, called: Called) => void,
): AddOperationHooks {
  return (operations, service) => {
    const underWay = new WeakMap<FastifyRequest, { called: Called; outcome: CallOutcome | null }>();
    operations.addHook('preHandler', (request, _reply, done) => {
      calledBy(service, request).then((called) => {
        const outcome = armed.take(called, isOfCall)?.outcome ?? null;
        if (outcome && 'fails' in outcome) return done(new Problem(outcome.fails, 'The emulator was asked for this.'));
        underWay.set(request, { called, outcome });
        calls.run(called, done);
      }, done);
    });
    operations.addHook('onSend', async (request, reply, payload) => {
      const call = underWay.get(request);
      if (!call) return payload;
      const { called } = call;
      const isRepeated = reply.hasHeader('idempotent-replayed');
      if (called.operation === 'createRequest' && reply.statusCode === 201 && !isRepeated)
        onCreated((JSON.parse(String(payload)) as { id: RequestId }).id, called);
      const outcome = call.outcome ?? (isRepeated ? null : magicOutcome(called.amounts, isOfCall));
      if (outcome && 'answersAfter' in outcome) await wait(outcome.answersAfter, reply);
      if (outcome && 'answerIsLost' in outcome) reply.raw.destroy();
      return payload;
    });
  };
}

type Body = { readonly amount?: number; readonly tokens?: number; readonly transfers?: readonly Body[] } | null;

async function calledBy(service: Service, request: FastifyRequest): Promise<Called> {
  const operation = request.routeOptions.config.operation!.operationId;
  const { amount, tokens, transfers = [] } = (request.body as Body) ?? {};
  const paid = operation === 'autoApproveRequest' ? await amountOfRequest(service, request) : undefined;
  const amounts = [amount, tokens, paid, ...transfers.map((line) => line?.amount)].filter((one) => one !== undefined);
  return { operation, appId: callerOf(request)?.appId ?? null, amounts };
}

/** Of one that the call names in its path. */
async function amountOfRequest({ db }: Service, { params }: FastifyRequest): Promise<number | undefined> {
  const id = requestIdFrom((params as { id: string }).id);
  const request = id && (await lookUpRequest(db, id));
  return request ? Number(request.amount) : undefined;
}

/** A caller who has gone is not waited for. */
function wait(milliseconds: number, { raw }: FastifyReply): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(end, milliseconds);
    function end() {
      clearTimeout(timer);
      raw.off('close', end);
      resolve();
    }
    raw.once('close', end);
  });
}
