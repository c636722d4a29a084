import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drain } from '../../src/process/drain.ts';
import { openEnding } from '../../src/process/shutdown.ts';
import { startTestService } from '../kit/service/service.ts';

test('a process that is asked to stop is not ready at once, and still answers, on connections that end', async (t) => {
  const s = await startTestService(t);
  const get = (path: string) => fetch(`${s.origin}${path}`);
  const before = await get('/readyz');
  assert.deepEqual([before.status, before.headers.get('connection')], [200, 'keep-alive']);

  t.mock.method(process, 'on', () => process);
  const ending = openEnding(s.service.log);
  const said: string[] = [];
  await drain(s.service, ending, (line) => said.push(line));
  assert.deepEqual(said, [], 'nobody asked by SIGTERM, so nothing is waited for');
  const red = await get('/readyz');
  const body = (await red.json()) as Record<string, string>;
  assert.deepEqual([red.status, body.status, body.start, body.stop], [503, 'not-ready', 'complete', 'under-way']);
  for (const path of ['/healthz', '/sign-in', '/v1/keys']) {
    const answer = await get(path);
    assert.ok(answer.status < 500, path);
    assert.equal(answer.headers.get('connection'), 'close', path);
    await answer.arrayBuffer();
  }
});
