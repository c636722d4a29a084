import { inTime } from '../../../base/in-time.ts';
import { lazily } from '../../../base/lazily.ts';
import { type Installation, readInstallation } from '../../../chain/deployment.ts';
import { connectRpc, type Rpc } from '../../../chain/rpc.ts';
import type { Subject } from '../../../config/read-settings.ts';
import type { MasterKey } from '../../../custody/data-keys.ts';
import { readMasterKey } from '../../../custody/master-key.ts';
import { openExistingVault, type Vault } from '../../../custody/vault.ts';
import { type Database, openDatabase, sqlState } from '../../../db/database.ts';
import { databaseFault } from '../../../db/database-fault.ts';
import { type Visited, visit } from './visit.ts';

export type ExamineOptions = {
  /** The address that gets a test mail; null: none is sent. */
  readonly sendMailTo: string | null;
};

/**
 * A subject with what several checks look at. Each of these is opened at its first use, and once. They change nothing: a first
 * start's work is left to the first start.
 */
export type Examination = Subject &
  ExamineOptions & {
    /** Null if there is none that can be used. The check of the database says why. */
    database(): Promise<Database | null>;
    /** Null before the first start, and without a database. */
    installation(): Promise<Installation | null>;
    /** As the settings say, read once. Unlike a start, it creates no missing file. */
    masterKey(): Promise<MasterKey>;
    /** Null before the first start, and if it cannot be opened. The check of the keys says why. */
    vault(): Promise<Vault | null>;
    /** A node that answers calls of any of the endpoints; null if none is named. */
    readonly rpc: Rpc | null;
    /** What `/healthz` answers at PUBLIC_URL. */
    front(): Promise<Visited>;
  };

/** Shorter than the time that a check may take, so that the check itself says what does not answer. */
export const ANSWERS_WITHIN_MS = 5_000;
/** A call that is not answered is made three times. */
export const NODE_ANSWERS_WITHIN_MS = 2_500;
/** Doctor takes few of the database's connections, as a service may need the others. */
const CONNECTIONS = 4;
const CLOSES_WITHIN_MS = 2_000;
const UNDEFINED_TABLE = '42P01';

export function openExamination(subject: Subject, options: ExamineOptions): Examination & { close(): Promise<void> } {
  const { databaseUrl, rpcUrls, publicUrl, settings } = subject;
  let opened: Database | null = null;
  const database = lazily(async () => {
    if (databaseUrl === null || (await databaseFault(databaseUrl)) !== null) return null;
    opened = openDatabase(databaseUrl, { maxConnections: CONNECTIONS });
    return opened;
  });
  const masterKey = lazily(() => readMasterKey(settings));
  const vault = lazily(async () => {
    const db = await database();
    return db && openExistingVault(db, await masterKey());
  });
  const installation = lazily(async () => {
    const db = await database();
    return db && readInstallation(db).catch(nullWithoutTable);
  });
  return {
    ...subject,
    ...options,
    database,
    installation,
    masterKey,
    vault: () => vault().catch(() => null),
    rpc: rpcUrls.length > 0 ? connectRpc(rpcUrls, { timeoutMs: NODE_ANSWERS_WITHIN_MS }) : null,
    front: lazily(() => visit(new URL('/healthz', publicUrl), {}, ANSWERS_WITHIN_MS)),
    async close() {
      // A database that has fallen silent must not keep the command.
      await inTime(
        database().then(() => opened?.close()),
        CLOSES_WITHIN_MS,
      );
    },
  };
}

function nullWithoutTable(error: unknown): null {
  if (sqlState(error) === UNDEFINED_TABLE) return null;
  throw error;
}
