import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getPriority } from 'node:os';
import { type TestContext, test } from 'node:test';
import { runAudit } from '../../src/jobs/run-audit.ts';
import { startTestService } from '../kit/service/service.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { alive, commandOf, descendants, runScript } from '../kit/unit/processes.ts';
import { until } from '../kit/unit/until.ts';

/** A node that never answers. An audit that has asked it is in the middle of its work. */
async function silentNode(t: TestContext): Promise<{ url: string; asked(): boolean }> {
  let asked = false;
  const server = createServer(() => {
    asked = true;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(t, () => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked: () => asked };
}

const audits = (parent: number) =>
  descendants(parent).filter((pid) => /quarters audit|audit-process/.test(commandOf(pid)));

test('the process that audits has a low priority, ends with its service, and its death is an error', async (t) => {
  const { service, databaseUrl } = await startTestService(t);
  const on = (rpcUrl: string) => ({ ...service, connections: { databaseUrl, rpcUrls: [rpcUrl] } });
  const { signal } = new AbortController();

  await t.test('it answers with the report and the memory it took', async () => {
    const { report, memory } = await runAudit(service, 20, signal);
    assert.deepEqual([report?.found, report?.accounts], [{ differences: 0, overdrawn: 0 }, 1]);
    assert.ok(memory < 200_000_000, `${memory} bytes`);
  });

  await t.test('a kill -9 of the service ends it', async (t) => {
    const node = await silentNode(t);
    const args = [databaseUrl, node.url, service.chain.contracts.token];
    const parent = await runScript(t, new URL('holds-audit.ts', import.meta.url), args);
    await until('it asks the node', node.asked);
    const own = audits(parent.pid);
    assert.equal(own.length, 1);
    parent.process.kill('SIGKILL');
    await until('it has ended', () => alive(own).length === 0);
  });

  await t.test('its own death is an error', async (t) => {
    const node = await silentNode(t);
    const died = assert.rejects(runAudit(on(node.url), 20, signal), /ended with SIGKILL and without an answer/);
    await until('it asks the node', node.asked);
    const [pid] = audits(process.pid);
    assert.ok(getPriority(pid!) > getPriority());
    process.kill(pid!, 'SIGKILL');
    await died;
  });

  await t.test('a stop of the service ends it', async (t) => {
    const node = await silentNode(t);
    const stopping = new AbortController();
    const stopped = assert.rejects(runAudit(on(node.url), 20, stopping.signal), { name: 'AbortError' });
    await until('it asks the node', node.asked);
    stopping.abort();
    await stopped;
    assert.deepEqual(audits(process.pid), []);
  });
});
