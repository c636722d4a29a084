import { InvalidArgumentError, Option } from 'commander';
import { columnsFor, inJson } from '../base/facts.ts';
import type { AppId, UserId } from '../base/ids.ts';
import { TRANSFER_STATUSES, type TransferStatus } from '../base/transfer-statuses.ts';
import { TRANSFER_FACTS } from '../views/transfers/transfer-columns.ts';
import type { CliCommand } from './command.ts';
import { listed } from './reading.ts';
import { parseAppId, parseLimit, parseUserId, parseUuid } from './values.ts';

export function addTransferList(transfers: CliCommand): void {
  transfers
    .command('list')
    .description('List transfers, newest first: all of them, or the payments with an app or a user.')
    .addOption(
      new Option('--status <status>', 'only in this status (repeatable)')
        .choices(TRANSFER_STATUSES)
        .argParser(addStatus),
    )
    .option('--older-than <time>', 'only older ones, such as 10m, 2h or 1d', parseAge)
    .option('--app <app>', 'only payments with this app', parseAppId)
    .option('--user <user>', 'only payments with this user', parseUserId)
    .option('--limit <count>', 'the most to list, up to 1000, default 50', parseLimit)
    .option('--after <id>', 'continue after this id, as printed at the end of a page', parseUuid)
    .examples(
      'transfers list --status approved --status submitted --older-than 10m',
      'transfers list --app 7Qm2xVb9KcRt4LpWz8Yd --limit 200 --json',
    )
    .prints(async (service, { status, olderThan, app, user, limit = 50, after }: ListOptions) => {
      const { searchTransfers } = await import('../views/transfers/find-transfers.ts');
      const found = await searchTransfers(service, {
        statuses: status ?? null,
        createdBefore: olderThan === undefined ? null : new Date(Date.now() - olderThan),
        appId: app ?? null,
        userId: user ?? null,
        after: after ?? null,
        limit,
      });
      const { next } = found;
      const json = { transfers: found.transfers.map(inJson(TRANSFER_FACTS)), next };
      return listed(json, columnsFor(TRANSFER_FACTS), found.transfers, { none: 'No transfers found.', next });
    });
}

type ListOptions = {
  readonly status?: readonly TransferStatus[];
  readonly olderThan?: number;
  readonly app?: AppId;
  readonly user?: UserId;
  readonly limit?: number;
  readonly after?: string;
};

function addStatus(text: string, previous: readonly TransferStatus[] = []): TransferStatus[] {
  const status = TRANSFER_STATUSES.find((known) => known === text);
  if (!status) throw new InvalidArgumentError(`Use one of ${TRANSFER_STATUSES.join(', ')}.`);
  return [...new Set([...previous, status])];
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `10m` in milliseconds. */
function parseAge(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,5})([smhd])$/.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError('Use a whole number and s, m, h or d, such as 10m.');
  return Number(count) * UNIT_MS[unit!]!;
}
