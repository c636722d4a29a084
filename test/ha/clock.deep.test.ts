import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { skipWithout } from '../kit/unit/debian-packages.ts';
import { until } from '../kit/unit/until.ts';
import type { Node } from './cluster.ts';
import { openStage } from './stage.ts';

const HOURS = 3600;
/** Twice the lease of the template: whatever a moved clock does to the lease has happened by then. */
const TWO_LEASES_MS = 40_000;
const skip = skipWithout('patroni', 'etcd-server', 'haproxy', 'postgresql', 'faketime', 'iproute2', 'iptables');

test('no payment is lost or doubled when the clock of a database node is moved', { skip }, async (t) => {
  const stage = await openStage(t, { clocks: true });
  const { cluster } = stage;
  const withClockAt = async (node: Node, hours: number) => {
    await node.moveClock(hours * HOURS);
    await delay(TWO_LEASES_MS);
    const roles = (await cluster.members()).map(({ name, role }) => `${name} is ${role}`);
    t.diagnostic(`${node.name} at ${hours} h: ${roles.join(', ')}`);
  };

  await t.test("the primary's clock is set forwards, and set right: payments continue", () =>
    stage.through(async () => {
      const primary = await cluster.leader();
      await withClockAt(primary, 5);
      await stage.more();
      await primary.moveClock(0);
      await stage.more();
      // Its Patroni sleeps for hours now. Starting it again is what the runbook says.
      await primary.restartDatabase();
      await stage.more();
      await cluster.healthy();
    }),
  );

  await t.test("the primary's clock is set back: payments continue when its watchdog has reset the machine", () =>
    stage.through(async () => {
      const primary = await cluster.leader();
      await withClockAt(primary, -5);
      // What the watchdog does, because Patroni has been silent.
      primary.crash();
      await until('another node is the primary', async () => (await cluster.leader()) !== primary, cluster.output);
      await stage.more();
      await primary.moveClock(0);
      await primary.boot();
      await cluster.healthy();
    }),
  );

  await t.test("a standby's clock is set back: payments continue", () =>
    stage.through(async () => {
      const standby = await cluster.synchronousStandby();
      await withClockAt(standby, -5);
      await stage.more();
      await standby.moveClock(0);
      await standby.restartDatabase();
      await stage.more();
      await cluster.healthy();
    }),
  );
});
