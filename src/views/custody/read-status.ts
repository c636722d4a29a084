import { KEPT_DAYS } from '../../custody/data-key-rotation.ts';
import { type DataKeyView, listDataKeys } from '../../custody/data-keys.ts';
import { type Kept, readKept } from '../../custody/kept-copies.ts';
import { type MasterKeySource, masterKeySource } from '../../custody/master-key.ts';
import { countAccountKeys } from '../../ledger/account-keys.ts';
import { countLeftToMove, type LeftToMove, readLastSweep, type Sweep } from '../../ledger/sweeps.ts';
import type { Service } from '../../service/service.ts';

/** How the keys of this installation are held. */
export type CustodyStatus = {
  readonly masterKey: MasterKeySource;
  readonly accounts: { readonly derived: number; readonly sealed: number };
  readonly dataKeys: readonly DataKeyView[];
  readonly kit: Kept;
  readonly backup: Kept;
  /** The last time that all accounts got new keys, and what has not moved yet; null if there was none. */
  readonly sweep: (Sweep & { readonly left: LeftToMove }) | null;
  /** What a rotation waits for, one sentence each. */
  readonly waitsFor: readonly string[];
};

const NOTHING_LEFT: LeftToMove = { accounts: 0, quarters: 0n };

const MASTER_KEY_WAITS =
  'The old and the new master key open this database. Give the new one to every process, then run: quarters custody rotate-master --finish';

const DATA_KEY_WAITS = 'A new data key waits until every process holds it. Run again: quarters custody rotate-data';

export async function readCustodyStatus({ db, settings }: Pick<Service, 'db' | 'settings'>): Promise<CustodyStatus> {
  const [accounts, dataKeys, kept, sweep] = await Promise.all([
    countAccountKeys(db),
    listDataKeys(db),
    readKept(db),
    readLastSweep(db),
  ]);
  return {
    masterKey: masterKeySource(settings),
    accounts,
    dataKeys,
    ...kept,
    sweep: sweep && { ...sweep, left: sweep.finishedAt ? NOTHING_LEFT : await countLeftToMove(db) },
    waitsFor: waitsFor(dataKeys),
  };
}

const DAY_MS = 86_400_000;

function waitsFor(dataKeys: readonly DataKeyView[]): string[] {
  const isPending = dataKeys.some(({ sealsSince }) => sealsSince === null);
  const successors = dataKeys.filter(({ sealsSince }) => sealsSince !== null).slice(1);
  return [
    ...(dataKeys.some(({ hasNextWrap }) => hasNextWrap) ? [MASTER_KEY_WAITS] : []),
    ...(isPending ? [DATA_KEY_WAITS] : []),
    ...successors.map(({ sealsSince }) => {
      const until = new Date(sealsSince!.getTime() + KEPT_DAYS * DAY_MS).toISOString().slice(0, 10);
      return `An old data key is kept until ${until}, for pages that were opened with it. Then run once more: quarters custody rotate-data`;
    }),
  ];
}
