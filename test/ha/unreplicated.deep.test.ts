import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { skipWithout } from '../kit/unit/debian-packages.ts';
import { until } from '../kit/unit/until.ts';
import { hasWaitingCommit, isPrimary } from './look.ts';
import { openStage, type Stage } from './stage.ts';

const skip = skipWithout('patroni', 'etcd-server', 'haproxy', 'postgresql', 'iproute2', 'iptables');

/** The ids of the newest requests that the service shows to the game as paid. */
async function paidRequests(stage: Stage): Promise<string[]> {
  const read = await stage.read('requests?status=approved,submitted,completed&limit=100');
  if (read === null) return [];
  assert.equal(read.status, 200);
  return (read.body as { data: { id: string }[] }).data.map(({ id }) => id);
}

/**
 * A COMMIT that waits for a standby is seen by nobody. If its server crashes and starts again in place, it is seen by everybody, and no standby
 * has it. A service that sends such a payment, answers a repeated call from it, or shows it to its game, is wrong as soon as that server is lost.
 */
test('payments that only a lost primary knew were neither answered nor sent', { skip }, async (t) => {
  const stage = await openStage(t);
  const { cluster } = stage;
  await stage.through(async () => {
    const [primary, standby] = [await cluster.leader(), await cluster.synchronousStandby()];
    const others = cluster.nodes.filter((node) => node !== primary);

    // Nothing is replicated any more, but Patroni and etcd still see each other, so the primary stays the primary.
    await primary.machine.cutFrom(
      others.map(({ machine }) => machine.address),
      5432,
    );
    await until('a COMMIT waits for a standby', () => hasWaitingCommit(cluster.urlOf(primary)), cluster.output);
    // What was confirmed before may still be on its way to the game.
    await delay(1_000);
    const { accepted } = stage.load;
    primary.machine.signal('SIGKILL', /postgres/);
    await until('it starts in place', () => isPrimary(cluster.urlOf(primary)), cluster.output);

    await until(
      'the service reads from it',
      async () => (await stage.read('requests?status=completed&limit=1')) !== null,
      cluster.output,
    );

    // Every payment that waited is repeated under its key, more than once.
    const { answers } = stage.load;
    // And the game reads its payments all the time.
    const shown = new Set<string>();
    await until(
      'the games have asked again',
      async () => {
        for (const id of await paidRequests(stage)) shown.add(id);
        return stage.load.answers > answers + 30;
      },
      cluster.output,
    );
    const acknowledged = stage.load.accepted - accepted;

    // The machine is lost for good, and a new one takes its place.
    primary.crash();
    await primary.machine.run('rm', '-rf', '/dev/shm/data');
    await until(
      'the former synchronous standby takes over',
      async () => {
        await cluster.control(standby, 'failover', 'quarters', '--candidate', standby.name, '--force').catch(() => {});
        return isPrimary(cluster.urlOf(standby));
      },
      cluster.output,
    );
    await primary.machine.reconnect();
    await stage.more();
    await primary.boot();
    await cluster.healthy();
    assert.equal(acknowledged, 0, 'payments were acknowledged that no standby had');
    for (const id of shown) {
      const statuses: number[] = [];
      await until(
        `the payment ${id} is read`,
        async () => {
          const read = await stage.read(`requests/${id}`);
          if (read) statuses.push(read.status);
          return read !== null;
        },
        cluster.output,
      );
      assert.deepEqual(statuses, [200], `the payment ${id} was shown, and no standby had it`);
    }
  });
});
