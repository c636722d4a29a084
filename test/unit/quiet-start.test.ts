import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { commandLevel, quietStart } from '../../src/process/logging.ts';

test('on a terminal a start logs what is wrong alone until its screen is there', (t) => {
  const isTTY = process.stderr.isTTY;
  t.after(() => Object.assign(process.stderr, { isTTY }));
  const levels = (level: string, out: boolean, err: boolean) => {
    Object.assign(process.stderr, { isTTY: err });
    const log = pino({ level, enabled: true });
    const logAll = quietStart(log, { isTTY: out });
    const before = log.level;
    logAll();
    return [before, log.level];
  };
  assert.deepEqual(levels('info', true, true), ['warn', 'info']);
  // In a file nothing is missing, and more was asked for.
  assert.deepEqual(levels('info', true, false), ['info', 'info']);
  assert.deepEqual(levels('info', false, true), ['info', 'info']);
  assert.deepEqual(levels('debug', true, true), ['debug', 'debug']);
  assert.deepEqual(levels('error', true, true), ['error', 'error']);
});

test('a command logs from warnings on, unless more or less was asked for', () => {
  const level = (logLevel: 'info' | 'debug' | 'trace' | 'error') => commandLevel({ logLevel });
  assert.deepEqual(
    [level('info'), level('debug'), level('trace'), level('error')],
    ['warn', 'debug', 'trace', 'error'],
  );
});
