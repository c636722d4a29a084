import { withThousands } from '../base/quarters.ts';
import type { DataKeyView } from '../custody/data-keys.ts';
import type { Kept } from '../custody/kept-copies.ts';
import { describeSource } from '../custody/master-key.ts';
import { ageOf } from '../diagnostics/findings/spoken-age.ts';
import type { DataKeyReplacement } from '../features/custody/replace-data-key.ts';
import type { KeyReplacement } from '../features/custody/replace-master-key.ts';
import type { CustodyStatus } from '../views/custody/read-status.ts';
import type { Printed } from './command.ts';
import { formatFacts, formatTable, readableTime } from './format.ts';

/** The command is not named: it may hold a token. */
function statusJson({ masterKey, sweep, ...status }: CustodyStatus): object {
  const { kind } = masterKey;
  return {
    masterKey: { from: kind, ...(kind === 'file' && { path: masterKey.path }) },
    ...status,
    sweep: sweep && {
      ...{ beganAt: sweep.beganAt, finishedAt: sweep.finishedAt, accounts: sweep.accounts },
      ...{ quarters: sweep.quarters, left: sweep.left },
    },
  };
}

export function custodyStatus(status: CustodyStatus): Printed {
  return { json: statusJson(status), text: statusText(status) };
}

function statusText({ masterKey, accounts, dataKeys, kit, backup, sweep, waitsFor }: CustodyStatus): string {
  const facts = formatFacts([
    ['Master key', describeSource(masterKey)],
    ['Accounts with derived keys', accounts.derived],
    ['Accounts with sealed keys', accounts.sealed],
    ['Recovery kit kept', said(kit, 'no')],
    ['Seed replaced', sweep && sweptText(sweep)],
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
  saidAt === null
    ? never
    : `${readableTime(saidAt)}${isCurrent ? '' : ', before the master key or the seed was replaced'}`;

function sweptText({ beganAt, finishedAt, left }: NonNullable<CustodyStatus['sweep']>): string {
  const end = finishedAt
    ? `all quarters had moved at ${readableTime(finishedAt)}`
    : `${withThousands(left.quarters)} quarters of ${withThousands(BigInt(left.accounts))} accounts are left to move`;
  return `${readableTime(beganAt)}; ${end}`;
}

function useOf({ id, sealsSince }: DataKeyView, all: readonly DataKeyView[]): string {
  if (!sealsSince) return 'not yet';
  return all.findLast((key) => key.sealsSince)?.id === id ? `since ${readableTime(sealsSince)}` : 'no more';
}

export function dataKeyText({ sealing, resealed, deleted }: DataKeyReplacement, { waitsFor }: CustodyStatus): string {
  const gone = deleted.length > 0 ? `Deleted: data key ${deleted.join(', ')}.\n` : '';
  const waits = waitsFor.map((sentence) => `${sentence}\n`).join('');
  return `Data key ${sealing} seals. ${resealed} stored values were sealed anew.\n${gone}${waits}`;
}

/** How far the master key is replaced, and what comes next. */
export function replacement(done: KeyReplacement): Printed {
  return { json: replacementJson(done), text: replacementText(done) };
}

function replacementJson(replacement: KeyReplacement): object {
  if (replacement.step === 'replaced') return replacement;
  const { source, processes, ...rest } = replacement;
  return { ...rest, from: source.kind, processes: processes.map(({ host, pid }) => ({ host, pid })) };
}

function replacementText(replacement: KeyReplacement): string {
  const old = replacement.oldKeyAt ? `The old key is in ${replacement.oldKeyAt}. ` : '';
  if (replacement.step === 'replaced') {
    const kit = replacement.kitAt
      ? `The new kit is ${replacement.kitAt}.`
      : 'Print the new kit: npx quarters custody kit';
    return `The old master key opens the database no more.
${old}Backups and recovery kits from before need it: keep it as long as you keep them.
Copy the new master key to where you keep it. ${kit}
When the kit is kept, say so: npx quarters custody kit --kept
`;
  }
  const { source, newKeyAt, isInPlace, processes } = replacement;
  const where = source.kind === 'file' ? source.path : describeSource(source);
  const who = processes.map(({ host, pid }) => `  process ${pid} on ${host}\n`).join('');
  const place = isInPlace
    ? `The new one is in place here (${where}). ${old}`
    : `Put the new one (${newKeyAt}) in place of the old one (${where}). `;
  return `The old and the new master key open the database.
${place}Give it to every process. Running ones need it at their next start:
${who}
When every process will find the new key, run: npx quarters custody rotate-master --finish
To keep the old key instead: npx quarters custody rotate-master --cancel
`;
}
