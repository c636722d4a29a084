import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Replication } from '../../src/db/replication.ts';
import { checkDurability } from '../../src/wings/doctor/diagnostics/durability-checks.ts';
import type { Examination } from '../../src/wings/doctor/diagnostics/examination.ts';

const REPLICATED: Replication = {
  isStandby: false,
  synchronousCommit: 'on',
  synchronousStandbyNames: 'node2',
  timeline: 1,
  standbys: [{ name: 'node2', state: 'streaming', sync: 'sync' }],
  fsync: true,
  fullPageWrites: true,
  walLevel: 'replica',
  maxConnections: 200,
};

/** What doctor finds at a server that answers so. */
async function findingOf(replication: Replication) {
  const database = async () => ({ query: async () => [replication] });
  const examination = { database, embedded: { database: false, chain: false } } as unknown as Examination;
  return [await checkDurability(examination)].flat()[0]!;
}

test('doctor does not claim that commits wait without a standby, which no server shows', async () => {
  const { state, says, facts } = await findingOf(REPLICATED);
  assert.equal(state, 'good');
  assert.match(says, /as long as a standby is connected\. Whether it waits without one is not visible from here/);
  assert.match(JSON.stringify(facts), /node2, sync.*synchronous_mode_strict/);
});

test('doctor warns of a synchronous standby that is not connected', async () => {
  const { state, says } = await findingOf({ ...REPLICATED, standbys: [] });
  assert.deepEqual([state, /Writes wait until there is one/.test(says)], ['warning', true]);
});
