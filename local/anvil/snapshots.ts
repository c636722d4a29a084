import { createHash } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip as gunzipCallback } from 'node:zlib';
import type { Rpc } from '../../src/chain/rpc.ts';
import type { Dump } from './node.ts';

const gunzip = promisify(gunzipCallback);
const fileName = /^(\d{10})-([0-9a-f]{64})\.state\.gz$/;
const kept = 2;

const snapshotMs = 5_000;
/** At most this part of the time goes into snapshots. */
const snapshotShare = 0.05;

/** The chain makes no block while its node writes its state. Each kept transaction takes 75 µs, or more on a busy machine. */
const STOPS_FOR_MS = 700;
const MOST_TRANSACTIONS = 8_000;
const LEAST_TRANSACTIONS = 1_000;
const LOOK_AGAIN_MS = 1_000;

/** A complete state of the chain as the node dumped it: JSON in UTF-8. */
type Snapshot = { name: string; json: Buffer; block: number };

export type SnapshotStore = {
  /** Newest first; not validated. */
  names(): Promise<string[]>;
  /** @throws if the file is truncated, altered or not a state of the chain */
  read(name: string): Promise<Snapshot>;
  /** Excludes a state from use; its file is kept for inspection. */
  reject(name: string): Promise<void>;
  /** Validates `zipped` and stores it. Older ones beyond two are removed. Returns its newest block. */
  write(zipped: Buffer): Promise<number>;
};

/**
 * Snapshots in a folder, one file each: written under another name, synced, then renamed, so a valid name always stands
 * for a complete file. The name contains the checksum, so later damage is detected too.
 */
export async function openSnapshots(folder: string): Promise<SnapshotStore> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const names = async () =>
    (await readdir(folder))
      .filter((name) => fileName.test(name))
      .sort()
      .reverse();
  for (const name of await readdir(folder)) if (name.endsWith('.part')) await rm(join(folder, name));

  return {
    names,
    async read(name) {
      const zipped = await readFile(join(folder, name));
      if (sha256(zipped) !== fileName.exec(name)?.[2]) throw new Error('its checksum does not fit');
      const json = await gunzip(zipped);
      return { name, json, block: bestBlock(json) };
    },
    reject: (name) => rename(join(folder, name), join(folder, `rejected-${name}`)),
    async write(zipped) {
      const block = bestBlock(await gunzip(zipped));
      const [newest, ...older] = await names();
      const sequence = Number(newest?.slice(0, 10) ?? 0) + 1;
      const name = `${`${sequence}`.padStart(10, '0')}-${sha256(zipped)}.state.gz`;
      const part = join(folder, `${sequence}.part`);
      await writeSynced(part, zipped);
      await rename(part, join(folder, name));
      await syncFolder(folder);
      for (const old of older.slice(kept - 2)) await rm(join(folder, old));
      return block;
    },
  };
}

type Saving = {
  /** Reads the state between two blocks. */
  dump: () => Promise<Dump>;
  rpc: Rpc;
  snapshots: SnapshotStore;
  /** The block that is saved already. */
  from: number;
  /** How many transactions the node keeps. */
  transactions: () => number;
  /** Makes a block even if no transaction waits, so that the node forgets an old one. */
  makeRoom: () => void;
  log: (message: string) => void;
};

/**
 * Takes snapshots while the chain moves: less often the longer one takes, and none while the node keeps too many
 * transactions. What a crash loses is sent again from the stored bytes, so a longer gap costs time then, and no payment.
 */
export function startSaving({ dump, rpc, snapshots, from, transactions, makeRoom, log }: Saving) {
  const ending = new AbortController();
  let saved = from;
  let most = MOST_TRANSACTIONS;
  const save = async () => {
    if (Number(await rpc.call<string>('eth_blockNumber', [])) === saved) return;
    const { zipped, ms } = await dump();
    const fit = most * (ms > STOPS_FOR_MS ? STOPS_FOR_MS / ms : 1.2);
    most = Math.max(LEAST_TRANSACTIONS, Math.min(fit, MOST_TRANSACTIONS));
    saved = await snapshots.write(zipped);
  };
  const loop = (async () => {
    let wait = snapshotMs;
    let failing = false;
    while (!ending.signal.aborted) {
      await delay(wait, undefined, { signal: ending.signal }).catch(() => {});
      if (ending.signal.aborted) break;
      if (transactions() > most) {
        makeRoom();
        wait = LOOK_AGAIN_MS;
        continue;
      }
      const started = performance.now();
      try {
        await save();
        failing = false;
      } catch (error) {
        if (!failing) log(`The chain's state could not be saved (${(error as Error).message}); it is tried again.`);
        failing = true;
      }
      wait = Math.max(snapshotMs, (performance.now() - started) / snapshotShare);
    }
  })();
  return {
    async stop() {
      ending.abort();
      await loop;
      await save().catch((error: Error) => log(`The chain's last state could not be saved (${error.message}).`));
    },
  };
}

/**
 * The state's newest block. The text is only scanned: at some hundred MB, JSON.parse would block the service for
 * seconds, and gzip's own checksum has shown that the text is as the node wrote it. Whether the node can load it shows
 * when it does.
 */
function bestBlock(json: Buffer): number {
  const key = '"best_block_number":';
  const at = json.indexOf(key);
  const digits = /^(\d+)[,}]/.exec(json.toString('latin1', at + key.length, at + key.length + 20));
  const whole = json[0] === 0x7b && json[json.length - 1] === 0x7d;
  if (at < 0 || !digits || !whole || !json.includes('"accounts":') || !json.includes('"blocks":')) {
    throw new Error('it is not a state of the chain');
  }
  return Number(digits[1]);
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

async function writeSynced(path: string, bytes: Buffer): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A rename survives a power cut only if the folder is synced too. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
