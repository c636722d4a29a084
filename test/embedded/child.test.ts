import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startChild } from '../../local/child.ts';
import { alive, descendants, runScript } from '../kit/unit/processes.ts';
import { until } from '../kit/unit/until.ts';

const holder = new URL('holds-children.ts', import.meta.url);
const env = { PATH: '/usr/bin:/bin' };

test('stop ends the child and its watchdog', async () => {
  const exits: unknown[] = [];
  const child = await startChild({ command: '/bin/sleep', args: ['300'], onExit: (exit) => exits.push(exit) });
  assert.deepEqual(await child.stop(), { code: null, signal: 'SIGTERM' });
  assert.deepEqual(exits, [{ code: null, signal: 'SIGTERM' }]);
  assert.deepEqual(await child.stop(), { code: null, signal: 'SIGTERM' });
  await until('no process is left', () => descendants(process.pid).length === 0);
});

test('a child that ignores the signal is killed after the grace period, with its own children', async () => {
  const child = await startChild({
    command: '/bin/sh',
    args: ['-c', 'trap "" TERM; sleep 300 & echo ready; wait; sleep 300'],
    env,
  });
  await until('it ignores SIGTERM', () => child.lastOutput() === 'ready');
  assert.deepEqual(await child.stop({ graceMs: 200 }), { code: null, signal: 'SIGKILL' });
  await until('no process is left', () => descendants(process.pid).length === 0);
});

test('a child that dies by itself is reported with its last output', async () => {
  const child = await startChild({ command: '/bin/sh', args: ['-c', 'echo out of luck >&2; exit 7'], env });
  assert.deepEqual(await child.exited, { code: 7, signal: null });
  assert.equal(child.lastOutput(), 'out of luck');
  const missing = await startChild({ command: '/does/not/exist', args: [] });
  assert.equal((await missing.exited).code, 127);
});

test('aborting the signal ends the child, and an aborted signal starts none', async () => {
  const ending = new AbortController();
  const child = await startChild({ command: '/bin/sleep', args: ['300'], stopOn: ending.signal });
  ending.abort(new Error('the end'));
  assert.deepEqual(await child.exited, { code: null, signal: 'SIGTERM' });
  await assert.rejects(startChild({ command: '/bin/sleep', args: ['300'], stopOn: ending.signal }), /the end/);
  await until('no process is left', () => descendants(process.pid).length === 0);
});

test('a child that is stopped in two ways at once gets one signal and ends in order', async () => {
  const ending = new AbortController();
  const program = `
    process.once('SIGTERM', () => {
      console.log('ending');
      setTimeout(() => { console.log('in order'); process.exit(); }, 1000);
    });
    setInterval(() => {}, 1000);
    console.log('ready');`;
  const child = await startChild({ command: process.execPath, args: ['-e', program], stopOn: ending.signal });
  await until('it listens to SIGTERM', () => child.lastOutput() === 'ready');
  ending.abort(new Error('the end'));
  // Two signals at the same moment would arrive as one.
  await until('it is ending', () => child.lastOutput().endsWith('ending'));
  assert.deepEqual(await child.stop(), { code: 0, signal: null });
  assert.match(child.lastOutput(), /in order$/);
});

test('children and watchdogs end when the parent is killed with SIGKILL', async (t) => {
  const parent = await runScript(t, holder, []);
  const all = descendants(parent.pid);
  assert.equal(all.length >= 4, true, 'two children and two watchdogs');
  for (const pid of JSON.parse(parent.line)) assert.ok(all.includes(pid));
  process.kill(parent.pid, 'SIGKILL');
  await until('all are gone', () => alive(all).length === 0);
});

test("Ctrl-C in the parent's terminal reaches neither children nor watchdogs", async (t) => {
  const parent = await runScript(t, holder, []);
  const all = descendants(parent.pid);
  // What the terminal does: SIGINT to the foreground group. The second signal comes after the first was delivered.
  process.kill(-parent.pid, 'SIGINT');
  process.kill(-parent.pid, 'SIGHUP');
  const [code, signal] = await new Promise<unknown[]>((resolve) =>
    parent.process.once('exit', (...how) => resolve(how)),
  );
  assert.deepEqual([code, signal], [null, 'SIGHUP'], 'the parent withstood SIGINT');
  await until('and its children ended by the watchdog', () => alive(all).length === 0);
});
