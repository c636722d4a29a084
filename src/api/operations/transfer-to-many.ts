import { parseAddress } from '../../base/address.ts';
import { EXAMPLES } from '../../base/example-values.ts';
import { faultOfAddress } from '../../base/pasted-address.ts';
import type { InputFault } from '../../base/problems.ts';
import { type LineOutcome, type PaymentLine, payUsers } from '../../features/payments/pay-users.ts';
import { faultText } from '../../features/payments/row-faults.ts';
import { inputProblem, partProblem } from '../../http/problems.ts';
import type { Service } from '../../service/service.ts';
import { refusesWhileBusy } from '../busy.ts';
import { appsOnly } from '../caller.ts';
import type { Api } from '../describe/describe.ts';
import { describe } from '../describe/describe.ts';
import { markReplay, readIdempotencyKey } from '../request-headers.ts';
import { ADDRESS, AddressIn, AmountIn, AppAddressIn, BODY, readAddress, UserIdIn } from '../schemas/inputs.ts';
import { RequestIdOut, TransactionHashOut } from '../schemas/outputs.ts';
import { ProblemOut } from '../schemas/problem.ts';
import { type Static, Type } from '../schemas/schema.ts';
import { transferOutcome } from '../schemas/transfer.ts';

const MOST_LINES = 1_000;
/** Enough for a thousand lines with all their fields. */
const BODY_LIMIT_BYTES = 262_144;

const Reference = Type.String({
  maxLength: 100,
  description: 'a text of up to 100 characters, your own name for this line',
  examples: ['prize 1'],
});

const Line = Type.Object(
  {
    amount: AmountIn,
    user: Type.Optional(UserIdIn),
    address: Type.Optional(AddressIn),
    reference: Type.Optional(Reference),
  },
  { description: 'a JSON object', title: 'NewTransferLine', examples: [{ amount: 500, user: EXAMPLES.userId }] },
);

const Body = Type.Object(
  {
    transfers: Type.Array(Line, {
      minItems: 1,
      maxItems: MOST_LINES,
      description: `a list of 1 to ${MOST_LINES} transfers`,
    }),
  },
  { ...BODY, title: 'NewTransfers' },
);

const LineOut = Type.Object(
  {
    requestId: Type.Optional(RequestIdOut),
    txId: Type.Optional(TransactionHashOut),
    error: Type.Optional(ProblemOut),
    reference: Type.Optional(Reference),
  },
  {
    title: 'TransferLine',
    description: 'The outcome of a line: `requestId` and `txId`, or `error`.',
    examples: [{ requestId: EXAMPLES.requestId, txId: EXAMPLES.txId, reference: 'prize 1' }],
  },
);

/** POST /v1/accounts/{address}/transfers: the app pays up to a thousand users in one call, each line independently. */
export function transferToManyRoute(api: Api, service: Service): void {
  const gate = appsOnly(service, 'pay');
  const route = describe(
    gate,
    {
      operationId: 'transferToMany',
      tag: 'Transfers',
      summary: 'Pay many players from an app account',
      description:
        'Lines are paid in order and independently: after a refused line, the quarters are available to later lines. The response ' +
        'is 200 with an outcome for each line, in order. With an Idempotency-Key, a repeated call returns the earlier outcomes and ' +
        'pays the remaining lines. Without one, it pays again.',
      problems: ['not-found', 'overloaded', 'app-backlog-full', 'payments-suspended'],
      idempotent: true,
    },
    {
      params: Type.Object({ address: AppAddressIn }),
      body: Body,
      response: {
        200: Type.Object(
          { transfers: Type.Array(LineOut, { description: 'the outcomes, in the order of the lines' }) },
          { title: 'TransferLines', description: 'The outcome of each line, in order.' },
        ),
      },
    },
  );
  const config = { ...route.config, refusesAtOnce: refusesWhileBusy(service) };
  api.post(
    '/accounts/:address/transfers',
    { ...route, config, bodyLimit: BODY_LIMIT_BYTES },
    async (request, reply) => {
      const caller = gate.caller(request);
      const from = readAddress(request.params.address, 'path/address');
      const given = request.body.transfers;
      const idempotency = readIdempotencyKey(request, caller);
      const paid = await payUsers(service, caller, { from, lines: readLines(given), idempotency });
      markReplay(reply, paid);
      return { transfers: paid.outcomes.map((outcome, i) => lineOut(service, outcome, given[i]!)) };
    },
  );
}

/** Checks what a schema cannot express. Throws `invalid-input`; nothing is paid then. */
function readLines(given: readonly Static<typeof Line>[]): PaymentLine[] {
  const faults: InputFault[] = [];
  const lines = given.map(({ amount, user, address }, i): PaymentLine => {
    const parsed = address === undefined ? undefined : parseAddress(address);
    if (address !== undefined && !parsed) {
      const advice = faultText(address, faultOfAddress(address)!);
      faults.push({ pointer: `/transfers/${i}/address`, detail: `must be ${ADDRESS}: ${advice}` });
    }
    if (user === undefined && address === undefined) {
      faults.push({ pointer: `/transfers/${i}`, detail: 'must name a user or an address' });
    }
    return { amount, user, address: parsed ?? undefined };
  });
  if (faults.length > 0) throw inputProblem(faults);
  return lines;
}

function lineOut(service: Service, outcome: LineOutcome, { reference }: Static<typeof Line>): Static<typeof LineOut> {
  const became = outcome.ok ? transferOutcome(outcome.result) : { error: partProblem(service, outcome.error) };
  return { ...became, ...(reference !== undefined && { reference }) };
}
