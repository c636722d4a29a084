import { APP_ID_PATTERN, type AppId } from '../../../src/base/ids.ts';
import { DURATION, type Duration, durationOf } from '../duration.ts';
import { type ArmedFate, type DeliveryFate, RELEASE_ORDERS } from '../webhooks/delivery-control.ts';
import { type Control, object } from './control.ts';

const APP = { type: 'string', pattern: APP_ID_PATTERN, description: 'Whose events. Left out: those of all apps' };
const TIMES = { type: 'integer', minimum: 1, maximum: 1_000_000, description: 'For how many deliveries' };
/** As long as a timer can be. */
const DELAYS = [1, 2_147_483_647] as const;
const SEED = { type: 'integer', minimum: 0, maximum: 4_294_967_295 };

type Given = { readonly app?: AppId; readonly times?: number };

/** `fateOf`: what the input says of it. */
const fateControl = <Input extends Given>(
  control: Pick<Control, 'operationId' | 'path' | 'says' | 'input'>,
  fateOf: (input: Input) => DeliveryFate,
): Control => ({
  ...control,
  method: 'POST',
  run: ({ deliveries }, input: Input) => {
    const { app, times = 1 } = input;
    deliveries.arm({ ...fateOf(input), ...(app && { app }), times } as ArmedFate);
    return undefined;
  },
});

export const WEBHOOK_CONTROLS: readonly Control[] = [
  {
    operationId: 'holdWebhooks',
    method: 'POST',
    path: '/webhooks/hold',
    says: 'Sends no event from now on. Each one waits, as if it had just happened.',
    input: object({ app: APP }),
    run: ({ deliveries }, { app }: Given) => {
      deliveries.hold(app);
      return undefined;
    },
  },
  {
    operationId: 'releaseWebhooks',
    method: 'POST',
    path: '/webhooks/release',
    says: 'Sends what was held, one after the other. Says how many deliveries that are, and the seed of their order.',
    input: object({
      app: APP,
      order: { enum: RELEASE_ORDERS, description: 'as-they-came if it is left out' },
      seed: { ...SEED, description: 'Of shuffled: the same one gives the same order. A new one if it is left out' },
    }),
    result: object({ released: { type: 'integer' }, seed: SEED }, ['released', 'seed']),
    run: async (
      { deliveries },
      { app, order = 'as-they-came', seed = Math.floor(Math.random() * 2 ** 32) }: ReleaseInput,
    ) => ({ released: await deliveries.release({ order, seed, ...(app && { app }) }), seed }),
  },
  fateControl(
    {
      operationId: 'duplicateWebhooks',
      path: '/webhooks/duplicate',
      says: 'Lets the next deliveries arrive twice, each with the same webhook-id.',
      input: object({ app: APP, times: TIMES }),
    },
    () => ({ kind: 'duplicate' }),
  ),
  fateControl(
    {
      operationId: 'delayWebhooks',
      path: '/webhooks/delay',
      says: "Lets the next deliveries be sent later, by the emulator's clock.",
      input: object({ app: APP, times: TIMES, by: DURATION }, ['by']),
    },
    ({ by }: Given & { readonly by: Duration }) => ({ kind: 'delay', ms: durationOf(by, '/by', DELAYS) }),
  ),
  fateControl(
    {
      operationId: 'dropWebhooks',
      path: '/webhooks/drop',
      says: 'Loses the next deliveries on their way. The service tries them again as in life, first after some five seconds.',
      input: object({ app: APP, times: TIMES }),
    },
    () => ({ kind: 'drop' }),
  ),
  {
    operationId: 'deliverWebhooks',
    method: 'POST',
    path: '/webhooks/delivered',
    says: 'Answers when no event is due or under way but for those that are held. What is delayed, or tried again, is due later.',
    run: async ({ deliveries }) => {
      await deliveries.delivered();
      return undefined;
    },
  },
  {
    operationId: 'readWebhooks',
    method: 'GET',
    path: '/webhooks',
    says: 'Says whose events are held, and what the next deliveries come to.',
    result: object(
      {
        held: { type: 'array', items: { type: 'string', description: 'The id of an app, or all' } },
        armed: {
          type: 'array',
          items: object(
            { kind: { enum: ['duplicate', 'delay', 'drop'] }, app: APP, times: TIMES, ms: { type: 'integer' } },
            ['kind', 'times'],
          ),
        },
      },
      ['held', 'armed'],
    ),
    run: ({ deliveries }) => ({ held: deliveries.held(), armed: deliveries.armed() }),
  },
  {
    operationId: 'forgetWebhooks',
    method: 'DELETE',
    path: '/webhooks',
    says: 'Lets all events be delivered as in life. Those that were held are sent.',
    run: ({ deliveries, world }) => {
      deliveries.forget();
      void world.deliver();
      return undefined;
    },
  },
];

type ReleaseInput = { readonly app?: AppId; readonly order?: (typeof RELEASE_ORDERS)[number]; readonly seed?: number };
