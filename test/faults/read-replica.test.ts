import assert from 'node:assert/strict';
import { test } from 'node:test';
import { migrate } from '../../src/db/migrate.ts';
import { readHealth } from '../../src/diagnostics/health/read-health.ts';
import type { Examination } from '../../src/wings/doctor/diagnostics/examination.ts';
import { checkReadReplica } from '../../src/wings/doctor/diagnostics/replica-checks.ts';
import { call } from '../kit/service/call.ts';
import { startOwnPostgres } from '../kit/service/own-postgres.ts';
import { startSecondService } from '../kit/service/second-service.ts';
import { startTestService } from '../kit/service/service.ts';
import { until } from '../kit/unit/until.ts';

test('a process that reads from a replica', async (t) => {
  const primary = await startOwnPostgres(t);
  await migrate(primary.url);
  const standby = await primary.copy();
  const said: string[] = [];
  const note = (_: object, message: string) => void said.push(message);
  const log = { info: note, warn: note, error: note };
  const writer = await startTestService(t, { databaseUrl: primary.url, log, env: { INITIAL_SUPPLY: '1000000' } });
  const { service, app } = await startSecondService(t, writer, { settings: { databaseReadUrl: standby.url } });
  const game = await writer.createApp();
  await writer.issue(game.id, 100_000);
  const guest = await writer.createGuest(game);

  /** A payment through one process, and whether both lists of the other have it. */
  async function payAndList() {
    const body = { amount: 1, user: guest.userId };
    const paid = await call(writer.app, `POST /v1/accounts/${game.address}/transfer`, { token: game.serverKey, body });
    const id = paid.json().requestId;
    assert.ok(id);
    for (const token of [game.serverKey, guest.accessToken]) {
      const [requests, transfers] = await Promise.all(
        ['requests', 'transfers'].map(async (list) => (await call(app, `GET /v1/${list}`, { token })).json()),
      );
      assert.equal(requests.data[0].id, id);
      assert.equal(transfers.data[0].requestId, id);
    }
  }
  const answered = () => service.replica()!.answered;
  const isUsed = () => until('the replica is in use', async () => service.replica()!.isInUse);
  const gauge = async (name: string) => {
    const { body } = await call(app, 'GET /metrics');
    return Number(new RegExp(`^quarters_${name} (.*)$`, 'm').exec(body)?.[1]);
  };
  const health = async () => {
    const { checks } = await readHealth(service);
    const { state, says } = checks.find(({ part }) => part === 'Read replica')!;
    return { state, says };
  };

  await t.test('lists there what another process has just written', async () => {
    await isUsed();
    const before = answered();
    for (let i = 0; i < 10; i++) await payAndList();
    assert.ok(answered() > before);
    assert.ok((await gauge('replica_reads_total{server="replica"}')) > 0);
    // A busy machine may keep it back for a moment.
    await until('all say that it is in use', async () => {
      const examination = { settings: service.settings, env: {}, database: async () => service.db };
      const [found] = (await checkReadReplica(examination as unknown as Examination))!;
      const { state } = await health();
      return found!.state === 'good' && state === 'good' && (await gauge('replica_in_use')) === 1;
    });
  });

  await t.test('lists it from the primary while the replica stands still, and says so once', async () => {
    await isUsed();
    await standby.sql('SELECT pg_wal_replay_pause()');
    said.length = 0;
    for (let i = 0; i < 5; i++) await payAndList();
    await until('it is not in use', async () => !service.replica()!.isInUse);
    await payAndList();
    await until('the lag is shown', async () => (await gauge('replica_lag_seconds')) > 0.25);
    assert.equal(await gauge('replica_in_use'), 0);
    const { state, says } = await health();
    assert.equal(state, 'warning');
    assert.match(says, /^The primary reads everything\. Of the replica: it is [\d.]+ seconds behind\.$/);
    assert.equal(said.filter((message) => message.includes('replica')).length, 1);
    await standby.sql('SELECT pg_wal_replay_resume()');
    await isUsed();
    await payAndList();
  });

  await t.test('answers while the replica is gone', async () => {
    await standby.kill();
    await payAndList();
    await until('it is not in use', async () => !service.replica()!.isInUse);
    await payAndList();
  });
});
