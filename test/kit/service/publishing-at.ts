import { readCursor } from '../../../src/ledger/blocks.ts';
import { nextPublication, publishLiabilities } from '../../../src/wings/liabilities/features/publish.ts';
import { until } from '../unit/until.ts';
import type { TestService } from './service.ts';

const SHELL = { kind: 'shell', osUser: 'tester' } as const;

/** Makes blocks until one that follows all payments so far is final. Returns its number. Needs `FINAL_AFTER` of 1. */
export async function finalBlockAfterPayments(s: TestService): Promise<bigint> {
  await s.settled();
  const { number } = (await readCursor(s.service.db))!;
  await s.evm.rpc('evm_mine');
  await s.evm.rpc('evm_mine');
  const isFinal = async () => (await nextPublication(s.service)).block > number;
  await until('a block after all payments is final', isFinal);
  return (await nextPublication(s.service)).block;
}

/** Publishes a block after all payments so far, as somebody with a shell. */
export async function publishNow(s: TestService) {
  const block = await finalBlockAfterPayments(s);
  return (await publishLiabilities(s.service, SHELL, block)).publication;
}
