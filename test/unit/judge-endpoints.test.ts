import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeEndpoints, type Look } from '../../src/settlement/judge-endpoints.ts';

const CURSOR = 100n;
/** A block every twelve seconds. */
const BLOCK_MS = 12_000;

type Says = Partial<Look> & { readonly head?: number };

const has: Says = { standing: 'has' };
const recent: Says = { standing: 'contradicts' };
const deep: Says = { standing: 'contradicts', isDeep: true };
const silent: Says = { seen: null };
const at = (head: number, says: Says): Says => ({ ...says, head });

function judge(says: readonly Says[], chosen = 1) {
  const looks = says.map(({ head = 100, ...given }, i): Look => {
    const seen = { fault: null, head: BigInt(head), minedAt: head * BLOCK_MS };
    const endpoint = { number: i + 1, state: 'ok', restMs: () => 0 } as const;
    return { endpoint, seen, standing: 'lacks', isDeep: false, mayReturn: false, ...given };
  });
  return judgeEndpoints(looks, CURSOR, chosen);
}

test('the ledger goes back only with endpoints that have won the vote', () => {
  for (const [name, says, winners] of [
    ['one of two has the block', [has, recent], []],
    ['both show a recent reorganisation', [recent, recent], [1, 2]],
    ['two of three show a recent reorganisation', [has, recent, recent], [2, 3]],
    ['one is left of two', [recent, silent], [1]],
    ['one that contradicts final blocks is alone', [deep, silent], []],
    ['one of three contradicts final blocks, and the others are away', [silent, deep, silent], []],
    ['half of four contradict final blocks', [deep, deep, silent, silent], []],
    ['two of three contradict final blocks', [has, deep, deep], [2, 3]],
    ['two contradict final blocks, and the third shows a recent reorganisation', [recent, deep, deep], [2, 3]],
    ['a recent reorganisation does not help one that contradicts final blocks', [deep, recent, has], []],
    ['nor does it win with that one', [deep, recent, recent], [2, 3]],
    ['one on a private branch is ahead of all others', [at(103, recent), has, has], []],
    ['one that contradicts final blocks is ahead of all others', [at(999, deep), has, recent], []],
    ['the only one that is ahead wins against one that stands still', [has, at(104, recent)], [2]],
    ['those that are ahead win against one that stands still', [has, at(104, recent), at(104, recent)], [2, 3]],
    ['one that lags has no vote', [at(96, recent), has, at(97, recent)], []],
    ['one that was in order a moment ago is silent', [{ seen: null, mayReturn: true }, recent], []],
  ] as const) {
    assert.deepEqual(judge(says).winners, winners, name);
  }
});

test('the state of an endpoint follows from what all of them say', () => {
  for (const [name, says, states] of [
    ['all agree', [has, has], ['ok', 'ok']],
    ['one lags', [at(97, { standing: 'lacks' }), has], ['behind', 'ok']],
    ['one stands still', [has, at(103, has)], ['behind', 'ok']],
    ['one is two blocks older', [has, at(102, has)], ['ok', 'ok']],
    ['one shows a recent reorganisation', [recent, has], ['forked', 'ok']],
    ['one contradicts final blocks', [deep, has], ['contradicting', 'ok']],
    ['one contradicts final blocks and is ahead', [at(999, deep), has], ['contradicting', 'ok']],
    ['most contradict final blocks', [deep, deep, has], ['forked', 'forked', 'ok']],
    ['one is silent', [silent, has], ['unreachable', 'ok']],
    ['one is on another chain', [{ seen: { fault: 'foreign', head: 9n, minedAt: 0 } }, has], ['foreign', 'ok']],
  ] as const) {
    assert.deepEqual(judge(says).states, states, name);
  }
});
