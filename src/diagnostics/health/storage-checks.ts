import { statfs } from 'node:fs/promises';
import { pendingMigrations } from '../../db/migrate.ts';
import { readStoredAudit } from '../../ledger/last-audit.ts';
import type { Service } from '../../service/service.ts';
import { type Finding, good } from '../findings/finding.ts';
import { findingOfReplica } from '../findings/replica-finding.ts';
import { ageOf } from '../findings/spoken-age.ts';

const RUNBOOK = 'docs/operate/runbook.md';
/** An audit that takes long, or waits for the node, is not late at once. */
const AUDIT_SLACK_MS = 3_600_000;
const GIGABYTE = 1e9;
/** Of the disk's space. */
const LOW_SPACE = 0.1;

/** Whether the database takes writes and has the tables of this version. */
export async function checkDatabase({ db }: Service): Promise<Finding> {
  const [isWritable, pending] = await Promise.all([
    db.assertWritable().then(
      () => true,
      () => false,
    ),
    pendingMigrations(db),
  ]);
  if (!isWritable) {
    const remedy = {
      says: 'See what the log of the service and of PostgreSQL say. The disk may be full.',
      docs: `${RUNBOOK}#quartersdatabasedown`,
    };
    return { state: 'bad', says: 'The database does not take writes.', remedy };
  }
  if (pending.length === 0) return good('The database takes writes, and its tables are those of this version.');
  return {
    state: 'bad',
    says: 'The tables are older than this version.',
    facts: [{ name: 'Missing updates', value: pending.join(', ') }],
    remedy: { says: 'Update them.', command: 'quarters migrate', docs: 'docs/operate/start.md#a-new-version' },
  };
}

/** Whether the read replica is up to date. Null if there is none. */
export async function checkReplica({ replica }: Pick<Service, 'replica'>): Promise<Finding | null> {
  const state = replica();
  return state && findingOfReplica(state);
}

/** What the last comparison of ledger and chain found, and when. */
export async function checkAudit({ db, settings }: Service): Promise<Finding> {
  const audit = await readStoredAudit(db);
  const docs = `${RUNBOOK}#quartersauditmissing`;
  const command = 'quarters audit';
  if (!audit) {
    const remedy = { says: 'Run one. Later ones follow by AUDIT_EVERY_SECONDS.', command, docs };
    // A new installation has its first one within a minute or an hour.
    return { state: 'warning', says: 'There was no audit yet.', remedy };
  }
  const age = Date.now() - audit.finishedAt.getTime();
  const facts = [
    { name: 'Last audit', value: `${ageOf(age)} ago, at block ${audit.block}, ${audit.accounts} accounts` },
    { name: 'Differences', value: `${audit.differences}` },
    ...(audit.overdrawn > 0 ? [{ name: 'Accounts with less than is held', value: `${audit.overdrawn}` }] : []),
  ];
  if (audit.differences > 0) {
    const equal = audit.equalAt ? `They were equal ${ageOf(Date.now() - audit.equalAt.getTime())} ago.` : '';
    const remedy = {
      says: `See each difference before anything else. ${equal}`.trim(),
      command,
      docs: `${RUNBOOK}#quartersledgerdiffers`,
    };
    return { state: 'bad', says: 'The ledger differs from the chain.', facts, remedy };
  }
  if (audit.overdrawn > 0) {
    const remedy = {
      says: 'A reorganisation may have taken a deposit back. See which accounts.',
      command,
      docs: `${RUNBOOK}#quartersaccountsoverdrawn`,
    };
    return { state: 'warning', says: 'Accounts have less than is held for their payments.', facts, remedy };
  }
  const { auditEverySeconds } = settings;
  if (auditEverySeconds > 0 && age > auditEverySeconds * 2000 + AUDIT_SLACK_MS) {
    const remedy = { says: 'See what the log says about audits, or run one.', command, docs };
    return { state: 'warning', says: `The last audit was ${ageOf(age)} ago.`, facts, remedy };
  }
  return good('The ledger equals the chain.', facts);
}

/** Space for the embedded database and the embedded chain. Null if there are none. */
export async function checkDisk({ settings }: Pick<Service, 'settings'>): Promise<Finding | null> {
  if (settings.databaseUrl !== undefined && settings.chainRpcUrls.length > 0) return null;
  const { bavail, blocks, bsize } = await statfs(settings.dataDir);
  const free = bavail * bsize;
  const facts = [
    { name: 'Folder', value: settings.dataDir },
    { name: 'Free', value: `${(free / GIGABYTE).toFixed(1)} GB of ${((blocks * bsize) / GIGABYTE).toFixed(1)} GB` },
  ];
  if (bavail / blocks > LOW_SPACE || free > 10 * GIGABYTE) return good('The data folder has space.', facts);
  return {
    state: free > GIGABYTE ? 'warning' : 'bad',
    says: 'The disk of the data folder is nearly full.',
    facts,
    remedy: {
      says: 'Make space, or move the folder (QUARTERS_DATA_DIR).',
      docs: 'docs/operate/start.md#the-data-folder',
    },
  };
}
