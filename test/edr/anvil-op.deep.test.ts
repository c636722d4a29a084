/** The same stages on anvil with the rules of the OP Stack. It takes the L1 fee and the operator's, and its receipts do not name them. */
import { test } from 'node:test';

process.env.QUARTERS_TEST_NODE = 'anvil-op';
const { importOpTests } = await import('./node-files.ts');
const { everyWeiIsBooked, gasAloneIsShort } = await import('./op-fees.ts');

test('transfers are paid once, and the book has every wei that their receipts name', (t) => everyWeiIsBooked(t, false));
test('a relayer that can pay for gas alone is short: its transfers wait, and are paid once', (t) =>
  gasAloneIsShort(t, false));
await importOpTests();
