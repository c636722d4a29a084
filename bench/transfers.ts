/**
 * Measures payouts: how many are answered in a second, how long all of them take to settle, and the CPU time for each, of this process
 * and of its PostgreSQL. It brings its own database and chain. On Linux: `node bench/transfers.ts`; TRANSFERS=2000 sets the number.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { startTestService } from '../test/support/service.ts';

const TRANSFERS = Number(process.env.TRANSFERS ?? 2_000);
const AT_ONCE = 64;
const GUESTS = 20;
const ROUNDS = 3;
const MS_A_TICK = 10;

/** CPU of all PostgreSQL processes below this one, ended ones too, in milliseconds. */
function cpuOfPostgres(): number {
  const all = readdirSync('/proc').flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return [];
    try {
      const [, name, rest] = /\((.*)\) (.*)/s.exec(readFileSync(`/proc/${entry}/stat`, 'utf8'))!;
      const fields = rest!.split(' ').map(Number);
      const ticks = fields[11]! + fields[12]! + fields[13]! + fields[14]!;
      return [{ pid: Number(entry), parent: fields[1]!, name: name!, ticks }];
    } catch {
      // The process has ended meanwhile.
      return [];
    }
  });
  const family = new Set([process.pid]);
  for (let size = 0; size < family.size; ) {
    size = family.size;
    for (const { pid, parent } of all) if (family.has(parent)) family.add(pid);
  }
  const own = all.filter(({ pid, name }) => pid !== process.pid && family.has(pid) && name.startsWith('postgres'));
  return own.reduce((sum, { ticks }) => sum + ticks * MS_A_TICK, 0);
}

test(`${TRANSFERS} payouts`, async (t) => {
  const s = await startTestService(t, { env: { AUDIT_EVERY_SECONDS: '0' } });
  const app = await s.createApp();
  await s.issue(app.id, TRANSFERS * (ROUNDS + 1));
  const guests = await Promise.all(Array.from({ length: GUESTS }, () => s.createGuest(app)));
  const pay = async (i: number) => {
    const { statusCode, body } = await s.app.inject({
      method: 'POST',
      url: `/v1/accounts/${app.address}/transfers`,
      headers: { authorization: `Bearer ${app.serverKey}` },
      payload: { transfers: [{ amount: 1, user: guests[i % GUESTS]!.userId }] },
    });
    if (statusCode !== 200 || body.includes('"error"')) throw new Error(body);
  };
  // The first round warms the code and the statements up.
  for (let round = 0; round <= ROUNDS; round++) {
    const cpu = process.cpuUsage();
    const postgres = cpuOfPostgres();
    const began = performance.now();
    let next = 0;
    const pump = async () => {
      while (next < TRANSFERS) await pay(next++);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, pump));
    const answered = performance.now();
    await s.settled();
    const { user, system } = process.cpuUsage(cpu);
    const ofPostgres = cpuOfPostgres() - postgres;
    if (round === 0) continue;
    console.table({
      'payouts answered a second': Math.round((TRANSFERS * 1000) / (answered - began)),
      'seconds until all are settled': Number(((performance.now() - began) / 1000).toFixed(2)),
      'CPU of this process for each, in ms': Number(((user + system) / 1000 / TRANSFERS).toFixed(3)),
      'CPU of PostgreSQL for each, in ms': Number((ofPostgres / TRANSFERS).toFixed(3)),
    });
  }
});
