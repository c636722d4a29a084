import { test } from 'node:test';
import type { Command } from './commands.ts';
import { runIn } from './run-commands.ts';
import { openWorld } from './world.ts';

/** Runs that found a defect once. */
const FOUND: Record<string, readonly Command[]> = {
  'a payment without a key, in the newest block': [
    { act: 'copy' },
    { act: 'pay', guest: 0, amount: 5 },
    { act: 'broadcast', by: 'one' },
    { act: 'lose', share: 100, drop: 0, repeats: 'later', seed: 1 },
  ],
  'a payment with a key that was mined after payments had continued': [
    { act: 'copy' },
    { act: 'pay', guest: 0, amount: 5, keyed: true },
    { act: 'broadcast', by: 'one' },
    { act: 'lose', share: 0, drop: 0, repeats: 'later', seed: 1 },
    { act: 'repeat', payment: 0 },
  ],
  'a payment with a key that was cancelled, paid when it was repeated, and lost again': [
    { act: 'copy' },
    { act: 'pay', guest: 0, amount: 5, keyed: true },
    { act: 'stranger cancels', transfer: 6 },
    { act: 'lose', share: 100, drop: 0, repeats: 'later', seed: 1 },
    { act: 'repeat', payment: 0 },
    { act: 'broadcast', by: 'one' },
    { act: 'lose', share: 100, drop: 0, repeats: 'later', seed: 1 },
    { act: 'repeat', payment: 0 },
  ],
  'a payment that a stranger sent, and that a reorganisation took back for good': [
    { act: 'copy' },
    { act: 'pay', guest: 0, amount: 5 },
    { act: 'stranger submits', transfers: [6] },
    { act: 'lose', share: 100, drop: 0, repeats: 'later', seed: 1 },
    { act: 'reorganise', depth: 4, blocks: 5, share: 0, drop: 100, seed: 1 },
  ],
  'a payment that a stranger sent, in a block that replaced one of the copy': [
    { act: 'mine', blocks: 3, share: 100, drop: 0, seed: 1 },
    ...Array.from({ length: 3 }, () => ({ act: 'follow', by: 'one' }) as const),
    { act: 'copy' },
    { act: 'reorganise', depth: 2, blocks: 0, share: 0, drop: 0, seed: 1 },
    { act: 'pay', guest: 0, amount: 5 },
    { act: 'stranger submits', transfers: [6] },
    { act: 'mine', blocks: 1, share: 100, drop: 0, seed: 1 },
    { act: 'lose', share: 0, drop: 100, repeats: 'later', seed: 1 },
  ],
  'a payment whose reward a stranger sent alone, of a request that the copy has': [
    { act: 'ask', guest: 2, amount: 73, byServer: false, keyed: false },
    { act: 'copy' },
    { act: 'approve', request: 3, mandate: false },
    { act: 'stranger submits', transfers: [7] },
    { act: 'lose', share: 100, drop: 0, repeats: 'at once', seed: 1 },
  ],
  'a part of a payment that a stranger sent alone, before its call is repeated': [
    { act: 'copy' },
    { act: 'spend', guest: 2, amount: 103, keyed: false },
    { act: 'auto', request: 2, byServer: false, keyed: true },
    { act: 'stranger submits', transfers: [8] },
    { act: 'mine', blocks: 1, share: 100, drop: 0, seed: 1 },
    { act: 'lose', share: 0, drop: 0, repeats: 'first', seed: 1 },
  ],
  'a refund of a payment that a reorganisation took back': [
    { act: 'copy' },
    { act: 'spend', guest: 2, amount: 187, keyed: true },
    { act: 'broadcast', by: 'one' },
    { act: 'lose', share: 50, drop: 0, repeats: 'at once', repairs: true, seed: 693 },
    { act: 'reorganise', depth: 99, blocks: 2, share: 80, drop: 0, seed: 565 },
    { act: 'refund', request: 9, amount: 0, keyed: false },
    { act: 'broadcast', by: 'one' },
    { act: 'lose', share: 100, drop: 0, repeats: 'first', seed: 271 },
  ],
  'a payment whose transaction the first of three endpoints does not know': [
    { act: 'copy' },
    { act: 'pay', guest: 0, amount: 5 },
    { act: 'broadcast', by: 'one' },
    { act: 'lose', share: 100, drop: 0, repeats: 'later', lies: 'knows no transactions', seed: 0 },
  ],
  'nothing, on a chain that was replaced, of which the first of three endpoints makes up hashes': [
    { act: 'copy' },
    { act: 'reorganise', depth: 99, blocks: 0, share: 0, drop: 0, seed: 0 },
    { act: 'mine', blocks: 4, share: 100, drop: 0, seed: 1 },
    { act: 'lose', share: 100, drop: 0, repeats: 'later', lies: 'makes up hashes', seed: 9 },
  ],
  'a welcome reward that was granted since, and spent': [
    { act: 'copy' },
    { act: 'spend', guest: 2, amount: 73 },
    { act: 'broadcast', by: 'one' },
    { act: 'lose', share: 100, drop: 0, repeats: 'at once', seed: 1 },
  ],
  'a reward whose transaction a reorganisation drops after the restore has found it, and before it has named it': [
    { act: 'copy' },
    { act: 'spend', guest: 2, amount: 73 },
    { act: 'broadcast', by: 'one' },
    { act: 'mine', blocks: 1, share: 100, drop: 0, seed: 1 },
    { act: 'lose', share: 100, drop: 100, repeats: 'later', endsAt: 1, reorganises: true, seed: 1 },
  ],
  'a payment that gets the nonce again that a reorganisation has freed': [
    { act: 'copy' },
    { act: 'spend', guest: 2, amount: 73 },
    { act: 'broadcast', by: 'one' },
    { act: 'mine', blocks: 1, share: 100, drop: 0, seed: 1 },
    { act: 'lose', share: 100, drop: 100, repeats: 'later', endsAt: 3, reorganises: true, seed: 1 },
  ],
  'a payment that nothing carries any more, and after which nothing is sent': [
    { act: 'copy' },
    { act: 'pay', guest: 3, amount: 219 },
    {
      act: 'together',
      acts: [
        { act: 'issue with a key', to: 9, amount: 40, byForm: false },
        { act: 'pay', guest: 6, amount: 98, keyed: true },
      ],
    },
    { act: 'broadcast', by: 'one' },
    { act: 'mine', blocks: 1, share: 100, drop: 0, seed: 429 },
    { act: 'lose', share: 0, drop: 50, repeats: 'at once', endsAt: 4, reorganises: true, seed: 849 },
  ],
  'a payment that was found cancelled, until a reorganisation had it paid': [
    { act: 'copy' },
    { act: 'ask', guest: 4, amount: 74, byServer: false, keyed: true },
    { act: 'approve', request: 2, mandate: true },
    ...Array.from({ length: 7 }, (_, transfer) => ({ act: 'stranger cancels', transfer }) as const),
    { act: 'broadcast', by: 'one' },
    { act: 'mine', blocks: 2, share: 100, drop: 0, seed: 2 },
    { act: 'lose', share: 100, drop: 0, repeats: 'at once', endsAt: 2, reorganises: true, seed: 2 },
  ],
  'a server asks a guest whom nobody has paid, before it repeats the call that made them': [
    { act: 'copy' },
    { act: 'guest with a key', app: 0 },
    { act: 'ask', guest: 4, amount: 3, byServer: true, keyed: true },
    { act: 'lose', share: 0, drop: 0, repeats: 'first', seed: 1 },
  ],
  'a keyed guest whom nobody has paid, and whom the game names before it repeats the call': [
    { act: 'copy' },
    { act: 'guest with a key', app: 0 },
    { act: 'lose', share: 0, drop: 0, repeats: 'at once', seed: 1 },
  ],
};

test('a restored copy knows again, once blocks are two deep', async (t) => {
  const world = await openWorld(t, { COMPLETE_AFTER: '2' });
  for (const [what, run] of Object.entries(FOUND)) await t.test(what, () => runIn(world, run));
});
