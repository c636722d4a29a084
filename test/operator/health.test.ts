import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { newTransferId } from '../../src/base/ids.ts';
import { storeKept } from '../../src/custody/kept-copies.ts';
import type { HealthState } from '../../src/diagnostics/findings/finding.ts';
import { readHealth } from '../../src/diagnostics/health/read-health.ts';
import { storeAudit } from '../../src/ledger/last-audit.ts';
import { suspend } from '../../src/ledger/suspension.ts';
import { enterDatabase } from '../../src/membership/membership.ts';
import { newProcess } from '../../src/membership/processes.ts';
import { createOperator } from '../kit/service/operator.ts';
import { runCommand } from '../kit/service/run-command.ts';
import { startTestService, type TestService } from '../kit/service/service.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { ago } from '../rows/times.ts';
import { changeProcesses, changeTransfers, insertTransferRows } from '../rows/transfers.ts';

const NOBODY = `0x${'0'.repeat(39)}2`;
const AUDIT = { block: 1n, accounts: 3, differences: 0, overdrawn: 0, seconds: 1 };

async function statesOf({ service }: TestService): Promise<Record<string, HealthState>> {
  const { checks } = await readHealth(service);
  return Object.fromEntries(checks.map(({ part, state }) => [part, state]));
}

test('health names each fault with what ends it, and works while the node is down', async (t) => {
  const s = await startTestService(t);
  const { db } = s.service;
  const operator = await createOperator(s);
  await s.settled();

  assert.equal((await statesOf(s)).Audit, 'warning', 'there was no audit yet');
  await storeAudit(db, AUDIT);
  await storeKept(db, 'kit');
  const { state, checks } = await readHealth(s.service);
  assert.equal(state, 'good', JSON.stringify(checks.filter((check) => check.state !== 'good')));
  assert.match((await operator.get('/operator/health')).body, /Everything is in order/);

  const calm = await runCommand(s.service, 'health');
  assert.deepEqual([calm.code, calm.err], [0, '']);
  assert.match(calm.out, /^ok +Chain +The node is on our chain/m);

  await storeAudit(db, { ...AUDIT, differences: 2 });
  await suspend(db, { relayers: [], authorizations: [], authorizationsInAll: 1 });
  await s.evm.stop();
  const page = await operator.get('/operator/health');
  assert.equal(page.statusCode, 200);
  for (const part of [
    /No chain node answers/,
    /The ledger differs from the chain/,
    /npx quarters audit/,
    /Payments are suspended/,
    /npx quarters restore/,
    /docs\/operate\/runbook.md#quarterspaymentssuspended/,
    /The relayers’ ether is unknown/,
  ]) {
    assert.match(page.body, part);
  }
  const alarmed = await runCommand(s.service, 'health');
  assert.equal(alarmed.code, 1);
  assert.match(alarmed.err, /There is a fault: service, chain, audit\./);
  assert.match(alarmed.out, /^FAULT +Audit +The ledger differs from the chain\.(\n.*)*\$ npx quarters audit/m);
  const { Chain, Audit, Service, Database, Mails } = await statesOf(s);
  assert.deepEqual(
    { Chain, Audit, Service, Database, Mails },
    { Chain: 'bad', Audit: 'bad', Service: 'bad', Database: 'good', Mails: 'good' },
  );
});

test('health is red while a transfer is not paid by blocks that were mined long after it, or nothing is left that can pay it', async (t) => {
  const s = await startTestService(t);
  const { db } = s.service;
  const game = await s.createApp();
  await s.issue(game.id, 10);
  const transfers = async () => (await readHealth(s.service)).checks.find(({ part }) => part.startsWith('Transfers'))!;
  assert.equal((await transfers()).state, 'good');
  const id = newTransferId();
  await insertTransferRows(db, [
    { id, fromAddress: NOBODY, toAddress: NOBODY, acceptedAt: new Date(Date.now() - 11 * 60_000) },
  ]);
  const late = await transfers();
  assert.deepEqual([late.state, late.says], ['bad', 'A transfer has been on its way for 11 minutes.']);
  await changeTransfers(db, { id }, { createdAt: ago('6 minutes') });
  const stuck = await transfers();
  assert.match(`${stuck.state}: ${stuck.says}`, /^bad: 1 transfer has no transaction that can pay/);
  assert.equal(stuck.remedy?.command, `quarters transfers show ${id}`);
});

test('health shows the versions that run, and warns if an upgrade has stopped half-way', async (t) => {
  const s = await startTestService(t);
  const { db, self } = s.service;
  const service = async () => (await readHealth(s.service)).checks.find(({ part }) => part === 'Service')!;
  const earlier = newProcess({ ...self, version: '0.9.9' });
  const { leave } = await enterDatabase(s.databaseUrl, () => {}, earlier);
  atEnd(t, leave);
  const { state, facts } = await service();
  assert.equal(state, 'good');
  assert.deepEqual(
    facts.map(({ name }) => name).sort(),
    ['Processes', 'Version 0.9.9', `Version ${self.version}`].sort(),
  );
  await changeProcesses(db, {}, { startedAt: ago('16 minutes') });
  assert.match((await service()).says, /stopped half-way/);
});

test('every paragraph of the documents that health points to exists', async () => {
  const folder = new URL('../../src/diagnostics/health/', import.meta.url);
  const sources = (await readdir(folder)).map((name) => readFileSync(new URL(name, folder), 'utf8')).join('\n');
  const runbook = readFileSync(new URL('../../docs/operate/runbook.md', import.meta.url), 'utf8').toLowerCase();
  const anchors = [...sources.matchAll(/\b(quarters[a-z]{4,})['`]/g)].map(([, anchor]) => anchor!);
  assert.ok(anchors.length > 10);
  for (const anchor of anchors) assert.ok(runbook.includes(`\n## ${anchor}\n`), anchor);
});
