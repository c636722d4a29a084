import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import pg from 'pg';
import { notInTurn } from '../kit/run/turns.ts';
import { createDatabase } from '../kit/service/database.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { alive, commandOf, descendants } from '../kit/unit/processes.ts';
import { scratchFolder } from '../kit/unit/scratch.ts';
import { until } from '../kit/unit/until.ts';
import { type StartingService, spawnService, startService } from './running-service.ts';

const childOf = ({ pid }: StartingService, program: RegExp) =>
  descendants(pid).find((child) => program.test(commandOf(child)));

/** Begins a start that listens but stops at its demo app: a lock keeps it from registering one until it is `released`. */
async function heldStart(t: TestContext) {
  const databaseUrl = await createDatabase(t);
  const holder = new pg.Client({ connectionString: databaseUrl });
  await holder.connect();
  atEnd(t, () => holder.end());
  await holder.query('BEGIN');
  await holder.query('LOCK TABLE apps IN SHARE MODE');
  const service = spawnService(t, await scratchFolder(t), {
    DATABASE_URL: databaseUrl,
    DEMO_APP: 'on',
    ARCADE_PORT: '0',
  });
  const origin = await service.listens();
  return { service, origin, release: () => holder.query('COMMIT') };
}

/** Ends the start and checks that it ends in order and leaves nothing behind. */
async function endsAll(service: StartingService, code: number, end: () => void): Promise<void> {
  const children = descendants(service.pid);
  assert.ok(children.length > 0);
  end();
  assert.equal(await service.ended, code, service.screen);
  // One without a command line is ending: the kernel has taken its memory back.
  assert.deepEqual(alive(children).map(commandOf).filter(Boolean), []);
  assert.doesNotMatch(service.screen, /held open|before everything had stopped/);
}

test('a service that answers during its start is alive, and is ready only when the start is complete', {
  skip: notInTurn(3, 'ended start, 1'),
}, async (t) => {
  const { service, origin, release } = await heldStart(t);
  const ready = async () => {
    const answer = await fetch(`${origin}/readyz`);
    const { start, database } = (await answer.json()) as Record<string, string>;
    return { code: answer.status, start, database };
  };
  assert.equal((await fetch(`${origin}/healthz`)).status, 200);
  assert.deepEqual(await ready(), { code: 503, start: 'under-way', database: 'ok' });

  await release();
  await service.says('Ctrl-C stops');
  await until('it is ready', async () => (await ready()).code === 200);
  assert.deepEqual(await ready(), { code: 200, start: 'complete', database: 'ok' });
  await endsAll(service, 0, () => service.process.kill('SIGINT'));
});

test('a stop during a start ends the start in order', { skip: notInTurn(3, 'ended start, 2') }, async (t) => {
  const { service, release } = await heldStart(t);
  await endsAll(service, 0, () => {
    service.process.kill('SIGTERM');
    // Nothing else ends the step that waits for the lock.
    void service.says('Stopping').then(release);
  });
});

test('a part that dies during a start ends the start with that reason', {
  skip: notInTurn(3, 'ended start, 3'),
}, async (t) => {
  const { service, release } = await heldStart(t);
  const node = childOf(service, /anvil.* --port/);
  assert.ok(node);
  await endsAll(service, 1, () => {
    process.kill(node, 'SIGKILL');
    void until('it is gone', () => alive([node]).length === 0).then(release);
  });
  assert.match(service.screen, /^The embedded chain ended by itself\.$/m);
});

test('a database that is killed while the example game starts ends the service and the game, and the next start works', {
  skip: notInTurn(3, 'ended start, 4'),
}, async (t) => {
  const dataDir = await scratchFolder(t);
  const service = spawnService(t, dataDir, { ARCADE_PORT: '0' });
  const game = () => childOf(service, /^\S*node \S*arcade\/server/);
  await until(
    'the game is a process',
    () => game() !== undefined,
    () => service.screen,
  );
  // It announces its address only when the database is gone.
  process.kill(game()!, 'SIGSTOP');
  const database = childOf(service, /bin\/postgres -D/);
  assert.ok(database);
  await endsAll(service, 1, () => {
    process.kill(database, 'SIGKILL');
    process.kill(game()!, 'SIGCONT');
  });
  assert.match(service.screen, /^The embedded PostgreSQL ended by itself\.$/m);

  const next = await startService(t, dataDir, { ARCADE_PORT: '0' });
  next.process.kill('SIGINT');
  await until('it has stopped', () => next.process.exitCode !== null);
  assert.equal(next.process.exitCode, 0);
});
