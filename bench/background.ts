/**
 * Measures what work in the background takes from transfers: the audit of many accounts, and webhooks to a thousand addresses, of which
 * every tenth is slow. Linux. Alone: `node bench/background.ts`; ACCOUNTS sets how many accounts are audited.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Claim, Effort, Figure } from './claim.ts';
import { endProcess, nextMessage, startBenchProcess } from './load.ts';
import { createApps, type ManyApps } from './many-apps.ts';
import { addOutsideAccounts } from './outside-accounts.ts';
import { openPayments, type Payments, settledPerSecond } from './payments.ts';
import { peakMegabytes } from './processor-time.ts';
import { runAlone } from './run.ts';
import { type Stage, startStage } from './stage.ts';

const CONNECTIONS = 256;
const AUDIT_EVERY_SECONDS = 1;
const SLOW = 10;
const SETTLED_WITHIN_MS = 60_000;

type Phase = { readonly rate: number; readonly megabytes: number; readonly cpu: number };

async function measureBackground(effort: Effort): Promise<Figure[]> {
  const [apps, accounts] = effort.quick ? [100, 10_000] : [1_000, Number(process.env.ACCOUNTS ?? 100_000)];
  const stage = await startStage({ WEBHOOK_PRIVATE_TARGETS: 'on' });
  const receiver = startBenchProcess('webhook-receiver.ts');
  try {
    const port = await nextMessage<number>(receiver);
    await addOutsideAccounts(stage, accounts);
    const { people } = await stage.createPayer(100);
    const many = await createApps(
      stage,
      apps,
      people.map(({ userId }) => userId),
    );
    await untilSettled(stage);
    const payments = await openPayments(stage, ...many.appIds);
    const seconds = Math.min(10, effort.seconds);
    const phase = (settings?: Record<string, string>) => measurePhase(stage, payments, many, seconds, settings);

    const first = await phase();
    const audited = await phase({ AUDIT_EVERY_SECONDS: `${AUDIT_EVERY_SECONDS}` });
    // A second time, because everything becomes faster with use. The better one is the limit.
    const second = await phase({ AUDIT_EVERY_SECONDS: '0' });
    const alone = second.rate > first.rate ? second : first;
    const urls = many.appIds.map((id, i) => `http://127.0.0.1:${port}/${i % SLOW === 0 ? 'slow' : 'fast'}/${id}`);
    const adding = { port: stage.port, flow: 'endpoint', data: { serverKeys: many.webhookKeys, urls } } as const;
    await stage.load.run({ ...adding, connections: 16, turns: apps });
    const received = await ask(receiver);
    const notifying = await phase();
    const delivered = (await ask(receiver)) - received;
    await payments.verify();

    return [
      ...compared(`audit of ${accounts.toLocaleString('en')} accounts every second`, alone, audited, WHY_AUDIT),
      ...compared(`webhooks to ${apps.toLocaleString('en')} addresses`, alone, notifying, WHY_WEBHOOKS),
      { name: 'webhooks received while transfers were settled', value: delivered, unit: '' },
    ];
  } finally {
    await endProcess(receiver);
    await stage.stop();
  }
}

/** Starts the service again, so that its memory is that of this load alone. */
async function measurePhase(
  stage: Stage,
  payments: Payments,
  { payers }: ManyApps,
  seconds: number,
  settings?: Readonly<Record<string, string>>,
): Promise<Phase> {
  await stage.restart(settings);
  const order = { port: stage.port, flow: 'spread', data: { payers }, connections: CONNECTIONS } as const;
  await payments.settle(stage.load.run({ ...order, seconds: 3 }));
  const full = await payments.settle(stage.load.run({ ...order, seconds }));
  const { cpu } = full;
  return {
    rate: settledPerSecond(full),
    megabytes: peakMegabytes(stage.servicePid()),
    cpu: cpu.service! + cpu.postgres!,
  };
}

const WHY_AUDIT = 'Database and node read every account a second, on the same two cores. The default is once an hour.';
const WHY_WEBHOOKS =
  'Each event has a row for its delivery, which is taken and marked, and up to a thousand a second are sent meanwhile, on the same two cores.';

function compared(words: string, alone: Phase, beside: Phase, whyMissed: string): Figure[] {
  const limit = { name: 'without it', value: alone.rate };
  return [
    { name: `${words}: settled`, value: beside.rate, unit: '/s', limit, target: '≥ 90 %', whyMissed },
    { name: `${words}: more CPU of service and PostgreSQL`, value: beside.cpu - alone.cpu, unit: 'ms' },
    {
      name: `${words}: more memory of the service`,
      value: beside.megabytes - alone.megabytes,
      unit: 'MB',
      target: '≤ 200',
    },
  ];
}

/** Resolves when nothing is held: what was issued is posted. */
async function untilSettled({ database }: Stage): Promise<void> {
  for (const deadline = Date.now() + SETTLED_WITHIN_MS; Date.now() < deadline; await delay(100)) {
    const { rows } = await database.query<{ held: string }>('SELECT sum(held) AS held FROM accounts');
    if (Number(rows[0]!.held) === 0) return;
  }
  throw new Error('The issued quarters were not posted.');
}

async function ask(receiver: Parameters<typeof endProcess>[0]): Promise<number> {
  receiver.send('count');
  return nextMessage<number>(receiver);
}

export const background: Claim = {
  name: 'background',
  title: 'Work in the background',
  method: `A thousand apps pay in turn, over ${CONNECTIONS} connections. Nothing else runs first, and once more between the others. For webhooks, \
each app has an address, and every tenth answers after five seconds. Memory is the most of the process (VmHWM), each time after a new start.`,
  measure: measureBackground,
};

if (import.meta.main) await runAlone(background);
