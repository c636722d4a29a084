import { inTime } from '../../base/in-time.ts';
import type { Quarters } from '../../base/quarters.ts';
import { readHeader } from '../../chain/blocks.ts';
import { readCursor } from '../../ledger/blocks.ts';
import { readStoredAudit, type StoredAudit } from '../../ledger/last-audit.ts';
import { type MailQueue, readMailQueue } from '../../mail/mail.ts';
import { readRefusedMails } from '../../mail/refusals.ts';
import { listProcesses } from '../../membership/processes.ts';
import { countOpenReports } from '../../requests/reports.ts';
import type { Service } from '../../service/service.ts';
import { countOnTheirWay, type SettlementCounts } from '../../settlement/backlog.ts';
import { arePaymentsHalted } from '../../settlement/may-act.ts';
import { saidOf } from '../../settlement/said.ts';
import { type Completing, readCompleting } from '../../settlement/tables/standstill.ts';
import { sumOpenTransfers } from '../../settlement/tables/transfers.ts';

/** More are not counted. */
const MOST_MAILS = 10_000;

export type Figures = {
  /** Null if the database did not answer in time. */
  readonly counts: SettlementCounts | null;
  /** Whether the database takes writes: not without space, or without a synchronous standby. */
  readonly isWritable: boolean;
  /** What is held for transfers on their way, and since when the oldest waits; null like `counts`. */
  readonly open: { readonly quarters: Quarters; readonly oldestAt: Date | null } | null;
  /** How transfers complete; null like `counts`. */
  readonly completing: Completing | null;
  /** Mails that wait to be sent; null like `counts`. */
  readonly mails: MailQueue | null;
  /** Mails that the mail server has refused for good since it last accepted one; null like `counts`. */
  readonly refusedMails: number | null;
  /** The last block in the ledger. */
  readonly postedBlock: number | null;
  /** The node's newest block; null if it did not answer in time. */
  readonly headBlock: number | null;
  /** Unresolved reports of players; null like `counts`. */
  readonly openReports: number | null;
  /** The version of each live process; null like `counts`. */
  readonly versions: readonly string[] | null;
  readonly gas: Service['settlement']['gas'];
  readonly backlog: number;
  readonly backlogLimit: number;
  /** What the last audit found, whichever process or command made it; null before the first, and like `counts`. */
  readonly lastAudit: StoredAudit | null;
  /** Whether the chain was found in order; otherwise nothing is sent. */
  readonly chainAttached: boolean;
  /** Blocks of this process that did not prove their logs, so that endpoints had to agree on them. */
  readonly agreedBlocks: number;
  /** Loops that have failed for a while. */
  readonly failingLoops: number;
  /** Whether no payment is accepted: the database is older than the chain, or quarters move to new addresses. */
  readonly suspended: boolean;
};

/** The state of settlement, for monitoring. Never throws, and answers within seconds whatever is down. */
export async function readFigures(service: Service): Promise<Figures> {
  const { db, rpc, settings, settlement, admission, readiness } = service;
  const [counts, isWritable, open, completing, mails, refusedMails, cursor, openReports, lastAudit, processes, head] =
    await Promise.all([
      inTime(countOnTheirWay(db)),
      inTime(db.assertWritable().then(() => true)),
      inTime(sumOpenTransfers(db)),
      inTime(readCompleting(db, settings)),
      inTime(readMailQueue(db, MOST_MAILS)),
      inTime(readRefusedMails(db).then((refused) => refused?.count ?? 0)),
      inTime(readCursor(db)),
      inTime(countOpenReports(db)),
      inTime(readStoredAudit(db)),
      inTime(listProcesses(db)),
      inTime(readHeader(rpc, 'latest')),
    ]);
  return {
    counts,
    isWritable: isWritable ?? false,
    open,
    completing,
    mails,
    refusedMails,
    postedBlock: cursor && Number(cursor.number),
    headBlock: head && Number(head.number),
    openReports,
    gas: settlement.gas,
    backlog: settlement.backlog,
    backlogLimit: admission.limit,
    lastAudit,
    versions: processes?.map(({ version }) => version) ?? null,
    chainAttached: readiness.chain === 'ok',
    agreedBlocks: readiness.proven.less?.blocks ?? 0,
    failingLoops: saidOf(service).troubles.length,
    suspended: arePaymentsHalted({ readiness }),
  };
}
