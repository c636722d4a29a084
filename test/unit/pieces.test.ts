import assert from 'node:assert/strict';
import { it } from 'node:test';
import { inPieces } from '../../src/base/pieces.ts';

it('long pages are written in short pieces, and files written at once never share a turn of the event loop', async () => {
  let turn = 0;
  let counting = setImmediate(function count() {
    turn++;
    counting = setImmediate(count);
  });
  const turns: number[] = [];
  const rows = Array.from({ length: 1_001 }, (_, i) => i);
  const write = async (pages: number[][]) => {
    const written: number[] = [];
    const pieces = inPieces(pages, (piece) => {
      turns.push(turn);
      assert.ok(piece.length <= 100);
      written.push(...piece);
      return '';
    });
    for await (const _ of pieces);
    assert.deepEqual(written, pages.flat());
  };
  await Promise.all([write([rows]), write([rows, [], rows]), write([[1], [2]]), write([])]);
  clearImmediate(counting);
  assert.equal(turns.length, 11 + 22 + 2);
  assert.equal(new Set(turns).size, turns.length);
});
