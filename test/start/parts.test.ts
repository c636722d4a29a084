import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { openLocalParts } from '../../local/parts.ts';
import { readSettings } from '../../src/config/read-settings.ts';
import { alive, commandOf, descendants } from '../kit/unit/processes.ts';
import { scratchFolder } from '../kit/unit/scratch.ts';
import { until } from '../kit/unit/until.ts';

const NEVER = new AbortController().signal;

const running = (program: RegExp) => descendants(process.pid).find((pid) => program.test(commandOf(pid)));

async function open(t: TestContext, dataDir: string, env: Record<string, string>, ended = NEVER) {
  const settings = readSettings({ QUARTERS_DATA_DIR: dataDir, ...env });
  const opening = openLocalParts(settings, () => {}, ended);
  // Where a part is not stopped, the test still ends.
  t.after(async () => (await opening.catch(() => null))?.stop());
  return opening;
}

const noneIsLeft = () => until('no child is left', () => alive(descendants(process.pid)).length === 0);

test('a part that dies while the other one is being created ends the start with that reason', async (t) => {
  const opening = open(t, await scratchFolder(t), {});
  const killed = (async () => {
    // On a first start the database takes longer than the node, whether the node is up by now or not.
    await until(
      'both are starting',
      () => running(/bin\/anvil /) !== undefined && running(/bin\/initdb/) !== undefined,
    );
    process.kill(running(/bin\/anvil /)!, 'SIGKILL');
  })();
  await assert.rejects(opening, /embedded chain (ended by itself|did not start)/);
  await killed;
  await noneIsLeft();
});

test('a part that fails leaves no process of the other one', async (t) => {
  const began = open(t, await scratchFolder(t), { DATABASE_URL: 'postgres://user@127.0.0.1:9/none' });
  await assert.rejects(began, (error: Error) => /^DATABASE_URL: .*\.$/.test(error.message));
  await noneIsLeft();
});

test('a stop while the database is being created ends initdb', async (t) => {
  const ending = new AbortController();
  const opening = open(t, await scratchFolder(t), {}, ending.signal);
  const stopped = (async () => {
    await until('the database is being created', () => running(/bin\/initdb/) !== undefined);
    ending.abort(new Error('the end'));
  })();
  await assert.rejects(opening, /^Error: the end$/);
  await stopped;
  await noneIsLeft();
});
