import pino from 'pino';
import { asQuarters } from '../src/base/quarters.ts';
import { readSettings } from '../src/config/read-settings.ts';
import { createApp } from '../src/features/apps/create-app.ts';
import { issueKey } from '../src/features/keys/keys.ts';
import { issueQuarters } from '../src/features/payments/issue-quarters.ts';
import { connect } from '../src/process/connect.ts';
import { houseOf } from '../src/service/house.ts';
import { OPERATOR } from '../src/service/managers.ts';
import { WINGS } from '../src/wings.ts';
import type { Payer } from './load-flows.ts';
import type { Stage } from './stage.ts';

const AT_ONCE = 50;
const QUARTERS = asQuarters(1_000_000n);

export type ManyApps = {
  readonly appIds: readonly string[];
  readonly payers: readonly Payer[];
  /** For each app, a key that may manage webhooks. */
  readonly webhookKeys: readonly string[];
};

/** Apps with quarters, all made in this process, as a command would: a thousand commands would take minutes. */
export async function createApps(stage: Stage, count: number, users: readonly string[]): Promise<ManyApps> {
  const { service, close } = await connect(readSettings(stage.env()), pino({ level: 'silent' }), houseOf(WINGS));
  try {
    const made: { id: string; payer: Payer; webhookKey: string }[] = [];
    for (let first = 0; first < count; first += AT_ONCE) {
      const some = Array.from({ length: Math.min(AT_ONCE, count - first) }, async (_, i) => {
        const { app, address, serverKey } = await createApp(service, OPERATOR, { name: `Bench ${first + i}` });
        const { id } = app;
        const webhookKey = await issueKey(service, OPERATOR, id, {
          kind: 'server',
          scopes: ['webhooks'],
          payPerDay: null,
        });
        await issueQuarters(service, { recipient: id, amount: QUARTERS });
        return { id, payer: { address, serverKeys: [serverKey], users }, webhookKey };
      });
      made.push(...(await Promise.all(some)));
    }
    return {
      appIds: made.map(({ id }) => id),
      payers: made.map(({ payer }) => payer),
      webhookKeys: made.map(({ webhookKey }) => webhookKey),
    };
  } finally {
    await close();
  }
}
