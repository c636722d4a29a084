import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { progressLine, withProgress } from '../../src/cli/progress.ts';

const NOTHING = { what: 'Paying', done: 0, total: null, note: '', seconds: 3.4 };

describe('progress', () => {
  it('has a bar, a share and the time left where the total is known', () => {
    const line = progressLine({ ...NOTHING, done: 2_500, total: 10_000, note: 'waiting for the chain', seconds: 10 });
    assert.equal(line, 'Paying [######..................] 2,500 of 10,000, 25 %, 30 s left, waiting for the chain');
    const end = progressLine({ ...NOTHING, done: 7, total: 7 });
    assert.equal(end, 'Paying [########################] 7 of 7, 100 %');
  });

  it('counts where the total is unknown', () => {
    assert.equal(progressLine(NOTHING), 'Paying, 3 s');
    assert.equal(progressLine({ ...NOTHING, done: 1_234 }), 'Paying 1,234, 3 s');
  });

  it('is redrawn on a terminal and leaves nothing behind', async () => {
    const err = Object.assign(new PassThrough(), { isTTY: true, columns: 30 });
    const result = await withProgress({ err }, 'Paying', async (report) => report(1, 2) ?? 'paid', { quietMs: 0 });
    assert.equal(result, 'paid');
    err.end();
    assert.equal(await text(err), '\rPaying [############.........\u001b[K\r\u001b[K');
  });

  it('of short work shows nothing, and elsewhere than on a terminal neither', async () => {
    for (const [isTTY, quietMs] of [
      [true, 60_000],
      [false, 0],
    ] as const) {
      const err = Object.assign(new PassThrough(), { isTTY });
      await withProgress({ err }, 'Paying', async (report) => report(1, 2), { quietMs });
      assert.equal(err.read(), null);
    }
  });
});
