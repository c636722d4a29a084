import { readHeader } from '../../src/chain/blocks.ts';
import { readCursor } from '../../src/ledger/blocks.ts';
import type { Service } from '../../src/usecases/service.ts';

/** Whether no transfer is on its way and the ledger is at the chain's newest confirmed block. */
export async function isSettled(service: Service): Promise<boolean> {
  const [open] = await service.db.query(
    `SELECT FROM transfers WHERE status IN ('approved', 'submitted')
     UNION ALL SELECT FROM transactions WHERE status IN ('signed', 'sent') LIMIT 1`,
  );
  const [head, cursor] = [await readHeader(service.rpc, 'latest'), await readCursor(service.db)];
  const confirmed = head && head.number - BigInt(service.settings.completeAfter - 1);
  return !open && confirmed !== null && cursor?.number === confirmed && cursor.complete;
}
