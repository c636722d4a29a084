import { setTimeout as delay } from 'node:timers/promises';
import { SEALED_RELAYER_KEYS } from '../../chain/relayers.ts';
import { deleteOldDataKeys, prepareDataKey, sealedPrefix, sealUnder } from '../../custody/data-key-rotation.ts';
import { listDataKeys, type MasterKey } from '../../custody/data-keys.ts';
import { readMasterKey } from '../../custody/master-key.ts';
import { SEALED_SIGNING_KEYS } from '../../custody/signing-keys.ts';
import type { SealedRows } from '../../db/sealed-rows.ts';
import { hasOlderDrafts } from '../../identity/form-drafts.ts';
import { SEALED_ACCOUNT_KEYS } from '../../ledger/account-keys.ts';
import { hasOlderMails } from '../../mail/mail.ts';
import { listWithoutDataKey } from '../../membership/processes.ts';
import { nameProcesses } from '../../membership/take-in.ts';
import { recordChange } from '../../operator-log/record.ts';
import type { Service } from '../../service/service.ts';
import { SEALED_WEBHOOK_SECRETS } from '../../webhooks/webhook-endpoints.ts';

/**
 * What stays sealed for longer than a data key is kept. Mails, form drafts and answers to repeated calls go by themselves before. A start or a
 * page holds what else is sealed.
 */
const SEALED: readonly SealedRows[] = [
  SEALED_ACCOUNT_KEYS,
  SEALED_RELAYER_KEYS,
  SEALED_SIGNING_KEYS,
  SEALED_WEBHOOK_SECRETS,
];

/** A transaction of so many rows is over in a blink. */
const MOST_ROWS = 100;
/** Processes look when they are told. Commands beside them look each two seconds. */
const PATIENCE = { commandsMs: 3_000, processesMs: 60_000 };
const LOOK_AGAIN_MS = 500;

/** `sealing`: the key that seals now. `resealed`: how many values were sealed under it anew. `deleted`: the ids of old keys. */
export type DataKeyReplacement = {
  readonly sealing: number;
  readonly resealed: number;
  readonly deleted: readonly number[];
};

/**
 * Replaces the data key, or continues where an earlier call has stopped, at any point. Every process gets the new key before it seals. Then
 * what is sealed under older ones is sealed anew, row by row, under load. An older key is deleted once nothing is sealed under it, and
 * nothing that was made with it can be valid any more: a later call does that.
 *
 * Throws if a process cannot open the new key; then nothing is sealed under it.
 */
export async function replaceDataKey(
  service: Service,
  report: Report = () => {},
  patience: Patience = PATIENCE,
): Promise<DataKeyReplacement> {
  const { db, settings, vault } = service;
  const known = await listDataKeys(db);
  const isUnderWay = known.length > 1 && known.at(-1)!.sealsSince !== null;
  const masterKey = await readMasterKey(settings);
  if (!isUnderWay) await addKey(service, masterKey, report, patience);
  const sealing = await vault.update(db, async () => masterKey);
  const resealed = await sealAnew(service, sealing, (done) => report(done, null, 'sealing anew'));
  return { sealing, resealed, deleted: await deleteUnused(service, sealing) };
}

type Report = (done: number, total: null, note: string) => void;

/** How long commands, and processes, have to take the new key. */
type Patience = { readonly commandsMs: number; readonly processesMs: number };

async function addKey(service: Service, masterKey: MasterKey, report: Report, patience: Patience): Promise<void> {
  const { db, security } = service;
  const id = await db.transaction((tx) => prepareDataKey(tx, masterKey));
  await untilAllHold(service, id, patience, () => report(0, null, 'processes take the new key'));
  const isFirst = await db.transaction(async (tx) => {
    if (!(await sealUnder(tx, id))) return false;
    const subject = { kind: 'service', id: 'data-key' } as const;
    await recordChange(tx, { action: 'data-key-replaced', subject, after: { dataKey: id } });
    return true;
  });
  if (isFirst) security.note('data-key-changed', { what: 'replace' });
  await db.notifyOthers(['data keys']);
}

/** Resolves when every process of this database holds the key, and commands have had the time to look. */
async function untilAllHold(
  { db }: Service,
  id: number,
  { commandsMs, processesMs }: Patience,
  waiting: () => void,
): Promise<void> {
  const began = performance.now();
  for (;;) {
    waiting();
    await db.notifyOthers(['data keys']);
    await delay(LOOK_AGAIN_MS);
    const lacking = await listWithoutDataKey(db, id);
    const waited = performance.now() - began;
    if (lacking.length === 0 && waited >= commandsMs) return;
    if (waited > processesMs) {
      throw new Error(
        `Nothing is sealed under the new data key yet, because these do not have it: ${nameProcesses(lacking)}. Their logs say why. Restart them with the master key of today, and run this again.`,
      );
    }
  }
}

/** Until nothing is left that a process has sealed meanwhile, which may not have seen yet that another key seals. Returns how many. */
async function sealAnew({ db, vault }: Service, sealing: number, sealed: (done: number) => void): Promise<number> {
  const key = sealedPrefix(sealing);
  let done = 0;
  for (const rows of SEALED) {
    let after = '';
    for (;;) {
      const values = await rows.list(db, key, after, MOST_ROWS);
      if (values.length === 0) break;
      const anew = values.map((value) => {
        const plain = vault.unseal(value.sealed, value.context);
        const resealed = { ...value, anew: vault.seal(plain, value.context) };
        plain.fill(0);
        return resealed;
      });
      await db.transaction((tx) => rows.replace(tx, anew));
      after = values.at(-1)!.id;
      done += values.length;
      sealed(done);
    }
  }
  return done;
}

async function deleteUnused({ db, security }: Service, sealing: number): Promise<number[]> {
  const key = sealedPrefix(sealing);
  const rest = await Promise.all(SEALED.map((rows) => rows.list(db, key, '', 1)));
  const isUsed = rest.flat().length > 0 || (await hasOlderMails(db, key)) || (await hasOlderDrafts(db, key));
  if (isUsed) return [];
  const deleted = await db.transaction(async (tx) => {
    const ids = await deleteOldDataKeys(tx);
    const subject = { kind: 'service', id: 'data-key' } as const;
    if (ids.length > 0) await recordChange(tx, { action: 'data-keys-deleted', subject, after: { dataKeys: ids } });
    return ids;
  });
  if (deleted.length > 0) security.note('data-key-changed', { what: 'delete' });
  return deleted;
}
