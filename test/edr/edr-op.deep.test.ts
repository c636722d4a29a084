/** The same stages on a rollup: EDR with the rules of the OP Stack, where publishing a transaction costs something beside gas. */
import { test } from 'node:test';

process.env.QUARTERS_TEST_NODE = 'edr-op';
const { loadEdr } = await import('../kit/service/edr.ts');
const { importOpTests } = await import('./node-files.ts');
const { everyWeiIsBooked, gasAloneIsShort } = await import('./op-fees.ts');

const LEFT = [
  // EDR refuses a call without a sender, and answers one that reverts with nothing.
  'audit.test.ts',
  // EDR does not lower a nonce.
  'cancellation.test.ts',
  // Its own sum is of gas alone. `everyWeiIsBooked` asks the balances.
  'gas-costs.test.ts',
];

const skip = (await loadEdr()) ? false : 'the package @nomicfoundation/edr has no binary for this machine';
test('transfers are paid once, and the book has every wei that their receipts name', { skip }, (t) =>
  everyWeiIsBooked(t, true),
);
test('a relayer that can pay for gas alone is short: its transfers wait, and are paid once', { skip }, (t) =>
  gasAloneIsShort(t, true),
);
if (!skip) await importOpTests(LEFT);
