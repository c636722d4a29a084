import type { AppId } from '../base/ids.ts';
import type { Query } from '../db/database.ts';
import { findRecord, updateRecord } from './records.ts';
import type { Session } from './sessions.ts';

type Queries = { readonly query: Query };

/** Somebody is to sign in, or to agree, before an app gets its answer. */
export type Interaction = {
  /** In its address, and in a cookie of the browser that began it. */
  readonly uid: string;
  readonly prompt: 'login' | 'consent';
  /** Why somebody is to sign in: `no_session`, `login_prompt`, `max_age`, … */
  readonly reasons: readonly string[];
  readonly appId: AppId;
  /** The authorization request, as checked: `scope`, `redirect_uri`, `login_hint`, `max_age`, … */
  readonly params: Readonly<Record<string, string | undefined>>;
  /** The session it began with. */
  readonly sessionUid: string | null;
};

type Stored = {
  readonly returnTo: string;
  readonly prompt: { readonly name: 'login' | 'consent'; readonly reasons: readonly string[] };
  readonly params: Readonly<Record<string, string>>;
  readonly session?: { readonly uid?: string };
  readonly lastSubmission?: Record<string, unknown>;
};

/** What became of it, as the provider reads it; an error goes to the app (RFC 6749, section 4.1.2.1). */
export type Result =
  | { readonly signedIn: true }
  | { readonly agreed: true }
  | { readonly error: 'access_denied' | 'login_required'; readonly description: string };

/** Null: unknown, done, or too old. */
export async function findInteraction(db: Queries, uid: string): Promise<Interaction | null> {
  const found = await findStored(db, uid);
  if (!found) return null;
  const { prompt, params, session } = found.stored;
  return {
    uid,
    prompt: prompt.name,
    reasons: prompt.reasons,
    appId: params.client_id as AppId,
    params,
    sessionUid: session?.uid ?? null,
  };
}

/**
 * Notes the result; returns the address the browser is to go to next. Throws an Error where the interaction is gone.
 *
 * The interaction is bound to the session that brought the result, also where it is not the one it began with: the provider
 * goes on only with that very session. So it never has to change somebody's session for another.
 */
export async function finishInteraction(db: Queries, uid: string, session: Session, result: Result): Promise<string> {
  const found = await findStored(db, uid);
  if (!found) throw new Error('The interaction is gone');
  const { stored, expiresAt } = found;
  const binding = { uid: session.uid, accountId: session.userId };
  const noted = { ...stored, session: binding, result: { ...stored.lastSubmission, ...submission(session, result) } };
  await updateRecord(db, 'Interaction', uid, noted, expiresAt);
  return stored.returnTo;
}

/** Repeats what the session says: the provider writes it back there. */
function submission({ userId, signedInAt, methods }: Session, result: Result): Record<string, unknown> {
  if ('error' in result) return { error: result.error, error_description: result.description };
  if ('agreed' in result) return { consent: {} };
  return { login: { accountId: userId, ts: signedInAt.getTime() / 1000, amr: methods } };
}

async function findStored(db: Queries, uid: string): Promise<{ stored: Stored; expiresAt: Date } | null> {
  const record = await findRecord(db, 'Interaction', uid);
  if (!record || record.expiresAt <= new Date()) return null;
  return { stored: record.payload as unknown as Stored, expiresAt: record.expiresAt };
}
