import { toChecksum } from '../../../base/address.ts';
import type { TransferId } from '../../../base/ids.ts';
import { Problem } from '../../../base/problems.ts';
import { findTransfers } from '../../../settlement/tables/transfers.ts';
import { cancelTransferIn } from '../../transfers/cancel-transfer.ts';
import type { ActionDeed } from '../action-deed.ts';
import { inQuarters } from '../named-subjects.ts';

type Params = { readonly transfer: TransferId };

/** Asks the chain to cancel a transfer on its way. */
export const CANCEL_TRANSFER: ActionDeed<Params> = {
  waits: true,
  async preview({ db }, { transfer: id }) {
    const [transfer] = await findTransfers(db, [id]);
    if (!transfer) throw new Problem('not-found', 'There is no such transfer.');
    if (transfer.status === 'completed' || transfer.status === 'failed') {
      throw new Problem('request-decided', `The transfer is ${transfer.status} already.`);
    }
    return {
      sentence:
        'Ask the chain to cancel this transfer. Whichever is mined first counts: the payment or the cancellation.',
      facts: [
        ['Transfer', id],
        ['Amount', inQuarters(transfer.amount)],
        ['From', toChecksum(transfer.from)],
        ['To', toChecksum(transfer.to)],
        ['Status', `${transfer.status} → failed, once the chain includes the cancellation`],
      ],
    };
  },
  apply: async (service, tx, { transfer }, { reason }) => ({
    txId: await cancelTransferIn(service, tx, transfer, reason),
  }),
  note: ({ security }, { transfer }) => security.note('transfer-cancelled', { what: transfer }),
  advice: ({ transfer }) => `Check it with \`quarters transfers show ${transfer}\`. It is safe to run this again.`,
};
