import { type KeptCopy, readKept, storeKept } from '../../../custody/kept-copies.ts';
import { hasSealedKeys } from '../../../ledger/account-keys.ts';
import { recordChange } from '../../../operator-log/record.ts';
import type { ActionDeed } from '../action-deed.ts';

type Params = { readonly copy: KeptCopy };

const SENTENCES: Readonly<Record<KeptCopy, string>> = {
  kit: 'Record that the recovery kit is kept, apart from the master key.',
  backup: 'Record that a backup of the database has just been taken.',
};

/** Records what nobody sees from here: an operator says that they have a copy. Health then reminds them no more. */
export const CONFIRM_COPY: ActionDeed<Params> = {
  subject: ({ copy }) => ({ kind: 'service', id: copy }),
  async preview({ db }, { copy }) {
    const { saidAt } = (await readKept(db))[copy];
    const warnings =
      copy === 'backup' && (await hasSealedKeys(db))
        ? ['Some accounts have keys that only the database and its backups hold.']
        : [];
    return { sentence: SENTENCES[copy], facts: [['Said last', saidAt?.toISOString() ?? 'never']], warnings };
  },
  async apply(_service, tx, { copy }, { reason }) {
    await storeKept(tx, copy);
    const action = copy === 'kit' ? 'kit-kept' : 'backup-reported';
    await recordChange(tx, { action, subject: { kind: 'service', id: copy }, reason });
    return null;
  },
};
