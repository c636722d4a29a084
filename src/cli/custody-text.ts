import type { DataKeyView } from '../custody/data-keys.ts';
import type { Kept } from '../custody/kept-copies.ts';
import { describeSource } from '../custody/master-key.ts';
import { ageOf } from '../diagnostics/findings/spoken-age.ts';
import type { CustodyStatus } from '../views/custody/read-status.ts';
import { formatFacts, formatTable, readableTime } from './format.ts';

/** The command is not named: it may hold a token. */
export function statusJson({ masterKey, ...status }: CustodyStatus): object {
  const { kind } = masterKey;
  return { masterKey: { from: kind, ...(kind === 'file' && { path: masterKey.path }) }, ...status };
}

export function statusText({ masterKey, accounts, dataKeys, kit, backup, waitsFor }: CustodyStatus): string {
  const facts = formatFacts([
    ['Master key', describeSource(masterKey)],
    ['Accounts with derived keys', `${accounts.derived}`],
    ['Accounts with sealed keys', `${accounts.sealed}`],
    ['Recovery kit kept', said(kit, 'no')],
    ['Backup reported', said(backup, accounts.sealed > 0 ? 'no' : 'no, and none has to be: all keys are derived')],
  ]);
  const table = formatTable<DataKeyView>(
    [
      { label: 'Data key', value: ({ id }) => `${id}` },
      { label: 'Made', value: ({ createdAt }) => `${ageOf(Date.now() - createdAt.getTime())} ago` },
      { label: 'Seals', value: (key) => useOf(key, dataKeys) },
    ],
    dataKeys,
  );
  return [facts, table, ...waitsFor.map((sentence) => `${sentence}\n`)].join('\n');
}

const said = ({ saidAt, isCurrent }: Kept, never: string) =>
  saidAt === null ? never : `${readableTime(saidAt)}${isCurrent ? '' : ', before the master key was replaced'}`;

function useOf({ id, sealsSince }: DataKeyView, all: readonly DataKeyView[]): string {
  if (!sealsSince) return 'not yet';
  return all.findLast((key) => key.sealsSince)?.id === id ? `since ${readableTime(sealsSince)}` : 'no more';
}
