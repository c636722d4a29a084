import type { AppId, UserId } from '../../../base/ids.ts';
import { Problem } from '../../../base/problems.ts';
import { findApps } from '../../../identity/apps.ts';
import { findUser, findUserByEmail } from '../../../identity/users.ts';
import type { EntryJson } from '../../../operator-log/facts.ts';
import type { LoggedAction } from '../../../operator-log/logged-actions.ts';
import { namesOf, resolveNames } from '../../../operator-log/names.ts';
import { hashReason } from '../../../operator-log/record.ts';
import type { Service } from '../../../service/service.ts';
import { type ChainedEntry, type EntryFilter, findEntry, readEntries, readReasons } from '../store/entries.ts';

/** An entry as it is stored, over pseudonyms. */
export type StoredEntry = {
  readonly v: number;
  readonly at: string;
  readonly action: LoggedAction;
  readonly actor: { readonly kind: string; readonly id: string } & Partial<Record<'as' | 'app' | 'key', string>>;
  readonly subject: { readonly kind: string; readonly id: string };
  readonly from?: Partial<Record<'client' | 'command' | 'request', string>>;
  readonly before?: EntryJson;
  readonly after?: EntryJson;
  readonly reason?: string;
};

/** What an id in an entry stands for: a user, with the e-mail address of an operator; an address that calls came from; or an app. */
export type ResolvedName =
  | ({ readonly userId: UserId } & { readonly email?: string })
  | { readonly client: string }
  | { readonly appName: string };

/** An entry as operators see it. */
export type LogEntryView = {
  readonly sequence: bigint;
  /** 64 hex digits. */
  readonly hash: string;
  readonly entry: StoredEntry;
  /** Null: there is none. `text` is null if it was deleted with an account. */
  readonly reason: { readonly text: string | null } | null;
};

export type LogPage = {
  /** Newest first. */
  readonly entries: readonly LogEntryView[];
  /** What the pseudonyms in the entries stand for, and how their apps are called. Those of closed accounts are missing. */
  readonly names: ReadonlyMap<string, ResolvedName>;
  /** Where the next page begins; null: this is the last. */
  readonly next: bigint | null;
};

/** What to look for. `who` and `subject`: an id, a user's e-mail address, or a pseudonym. */
export type LogSearch = Pick<EntryFilter, 'action' | 'from' | 'to'> & {
  readonly who?: string | undefined;
  readonly subject?: string | undefined;
};

type Deps = Pick<Service, 'reads'>;

/** Entries of the operator's log, newest first, below the sequence number `before`. */
export async function searchLog(
  { reads }: Deps,
  { who, subject, ...rest }: LogSearch,
  limit: number,
  before: bigint | null = null,
): Promise<LogPage> {
  const [actors, subjects] = await Promise.all([who, subject].map((text) => text && idsFor({ reads }, text)));
  const filter = { ...rest, ...(actors && { actors }), ...(subjects && { subjects }) };
  const rows = await readEntries(reads, filter, limit + 1, before);
  const shown = rows.slice(0, limit);
  return { ...(await viewOf({ reads }, shown)), next: rows.length > limit ? shown.at(-1)!.sequence : null };
}

export async function showLogEntry({ reads }: Deps, sequence: bigint): Promise<Omit<LogPage, 'next'>> {
  const row = await findEntry(reads, sequence);
  if (!row) throw new Problem('not-found', `The log has no entry ${sequence}.`);
  return viewOf({ reads }, [row]);
}

/** The ids under which the log may know what was typed. */
async function idsFor({ reads }: Deps, text: string): Promise<string[]> {
  const id = await withoutEmail({ reads }, text);
  return [id, ...(await namesOf(reads, id))];
}

/** The user's id in place of an e-mail address, `nobody` if it is no user's. Other text stays. */
export async function withoutEmail({ reads }: Deps, text: string): Promise<string> {
  return text.includes('@') ? ((await findUserByEmail(reads, text))?.id ?? 'nobody') : text;
}

const NAME = /"([uc]_[A-Za-z0-9]{22})"/g;

/** Entries with what their pseudonyms and notes say, as far as that is still known. */
async function viewOf({ reads }: Deps, rows: readonly ChainedEntry[]): Promise<Omit<LogPage, 'next'>> {
  const parsed = rows.map(({ entry }) => JSON.parse(entry) as StoredEntry);
  const mentioned = rows.flatMap(({ entry }) => [...entry.matchAll(NAME)].map(([, name]) => name!));
  const reasons = await readReasons(
    reads,
    parsed.flatMap(({ reason }) => reason ?? []),
  );
  const entries = rows.map(({ sequence, hash }, i): LogEntryView => {
    const entry = parsed[i]!;
    return { sequence, hash: hash.toString('hex'), entry, reason: reasonOf(entry.reason, reasons) };
  });
  const [people, apps] = await Promise.all([
    resolved({ reads }, [...new Set(mentioned)], parsed),
    findApps(reads, parsed.flatMap(appsOf)),
  ]);
  const appNames = [...apps].map(([id, { name }]): [string, ResolvedName] => [id, { appName: name }]);
  return { entries, names: new Map([...people, ...appNames]) };
}

function appsOf({ actor, subject }: StoredEntry): AppId[] {
  return [actor, subject].filter(({ kind }) => kind === 'app').map(({ id }) => id as AppId);
}

/** A note that does not match its hash was changed, and counts as deleted. */
function reasonOf(hash: string | undefined, known: Awaited<ReturnType<typeof readReasons>>): LogEntryView['reason'] {
  if (hash === undefined) return null;
  const found = known.get(hash);
  const isWhole = found !== undefined && hashReason(found.salt, found.reason).toString('hex') === hash;
  return { text: isWhole ? found.reason : null };
}

/** Operators are named by their e-mail address. Players stay ids, which lead to their pages. */
async function resolved(
  { reads }: Deps,
  names: readonly string[],
  entries: readonly StoredEntry[],
): Promise<ReadonlyMap<string, ResolvedName>> {
  const found = await resolveNames(reads, names);
  const operators = new Set(entries.filter(({ actor }) => actor.as === 'operator').map(({ actor }) => actor.id));
  const views = [...found].map(async ([name, { userId, client }]): Promise<[string, ResolvedName]> => {
    if (client !== '' || userId === '') return [name, { client }];
    const user = operators.has(name) ? await findUser(reads, userId) : null;
    return [name, { userId, ...(user?.email && { email: user.email }) }];
  });
  return new Map(await Promise.all(views));
}
