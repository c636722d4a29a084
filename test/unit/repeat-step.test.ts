import assert from 'node:assert/strict';
import { test } from 'node:test';
import { repeatStep } from '../../local/repeat-step.ts';
import { Problem } from '../../src/base/problems.ts';
import { CommitUnknown } from '../../src/db/database.ts';

const SILENT = { info() {}, warn() {}, error() {} };

test('a step that loses its database is repeated until it succeeds; any other fault ends it', async () => {
  const faults: Error[] = [
    new CommitUnknown(new Error('Connection terminated')),
    Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }),
    new Problem('outcome-unknown', 'It is not known.'),
  ];
  const step = async () => {
    const fault = faults.shift();
    if (fault) throw fault;
    return 'done';
  };
  const how = { log: SILENT, ended: new AbortController().signal };
  assert.equal(await repeatStep(step, how), 'done');
  faults.push(new Error('a fault'));
  await assert.rejects(repeatStep(step, how), /a fault/);
});

test('a step is not repeated once the service ends', async () => {
  const ending = new AbortController();
  const tries: number[] = [];
  const waiting = repeatStep(
    async () => {
      tries.push(0);
      ending.abort(new Error('the end'));
      throw new CommitUnknown(new Error('Connection terminated'));
    },
    { log: SILENT, ended: ending.signal },
  );
  await assert.rejects(waiting, /the end/);
  assert.equal(tries.length, 1);
});
