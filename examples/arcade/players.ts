import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';

export type Player = {
  userId: string;
  address: string;
  /** The id that a user had as a guest, for payments made then. */
  guestId?: string;
  /** Ties the code of a sign-up to this player. */
  codeVerifier?: string;
  name: string | null;
  kind: 'guest' | 'user';
  accessToken: string;
  /** Opens the approval page for a guest. */
  pageToken?: string;
  /** Of a user. */
  refreshToken?: string;
  shields: number;
  best: number;
  /** Requested payments whose outcome is not known yet. */
  asked: string[];
  /** Payments that a shield was given for. */
  given?: string[];
  round: { id: string; seed: number; shield: boolean; startedAt: number } | null;
  won: { day: string; quarters: number };
};

const MOST = 2000;

/**
 * The arcade's players, by the hash of their cookie. A real game has a database; this one has a file of mode 0600, rewritten
 * after each change, and forgets the oldest player if there are too many.
 */
export function openPlayers(file: string | undefined) {
  const players = new Map<string, Player>(readAll(file));
  let writing: Promise<void> = Promise.resolve();
  let waiting = false;

  const hash = (cookie: string) => createHash('sha256').update(cookie).digest('base64url');

  async function write(path: string): Promise<void> {
    waiting = false;
    await writeFile(`${path}.new`, JSON.stringify([...players]), { mode: 0o600 });
    await rename(`${path}.new`, path);
  }

  return {
    find: (cookie: string | undefined): Player | null => (cookie && players.get(hash(cookie))) || null,

    /** The player who was asked for this payment. */
    ofPayment: (id: string): Player | null =>
      [...players.values()].find(({ asked, given }) => asked.includes(id) || given?.includes(id)) ?? null,

    /** The new player's cookie. */
    add(player: Player): string {
      const cookie = randomBytes(32).toString('base64url');
      players.set(hash(cookie), player);
      for (const oldest of players.keys()) if (players.size > MOST) players.delete(oldest);
      return cookie;
    },

    remove(cookie: string): void {
      players.delete(hash(cookie));
    },

    /** Stores changes; those made during a write share the next one. */
    save(): Promise<void> {
      if (file && !waiting) {
        waiting = true;
        writing = writing.then(() => write(file)).catch((error) => console.error(`Not saved: ${error.message}`));
      }
      return writing;
    },
  };
}

export type Players = ReturnType<typeof openPlayers>;

function readAll(file: string | undefined): [string, Player][] {
  try {
    return file ? JSON.parse(readFileSync(file, 'utf8')) : [];
  } catch {
    return [];
  }
}
