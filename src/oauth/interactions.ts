import type { AppId } from '../base/ids.ts';
import type { Query } from '../db/database.ts';
import { findRecord, updateRecord } from './records.ts';
import type { Session } from './sessions.ts';

type Queries = { readonly query: Query };

/** A user must sign in or agree before an app gets its answer. */
export type Interaction = {
  /** It is in the interaction's address and in a cookie of the browser that started it. */
  readonly uid: string;
  readonly prompt: Stored['prompt']['name'];
  /** Why the user must sign in: `no_session`, `login_prompt`, `select_account_prompt`, `create_prompt`, `max_age`, … */
  readonly reasons: readonly string[];
  readonly appId: AppId;
  /** The authorization request, as checked: `scope`, `redirect_uri`, `login_hint`, `max_age`, … */
  readonly params: Readonly<Record<string, string | undefined>>;
  /** The session it started with. */
  readonly sessionUid: string | null;
};

type Stored = {
  readonly returnTo: string;
  readonly prompt: {
    readonly name: 'create' | 'select_account' | 'login' | 'consent';
    readonly reasons: readonly string[];
  };
  readonly params: Readonly<Record<string, string>> & { readonly client_id: AppId };
  readonly session?: { readonly uid?: string };
  readonly lastSubmission?: Record<string, unknown>;
};

/** The result, as the provider reads it. An error is sent to the app (RFC 6749, section 4.1.2.1). */
export type Result =
  | { readonly signedIn: true }
  /** They go on with the account that they are signed in with. */
  | { readonly chosen: true }
  | { readonly agreed: true }
  | { readonly error: 'access_denied' | 'login_required'; readonly description: string };

/** Null if it is unknown, finished or expired. */
export async function findInteraction(db: Queries, uid: string): Promise<Interaction | null> {
  const found = await findStored(db, uid);
  if (!found) return null;
  const { prompt, params, session } = found.stored;
  return {
    uid,
    prompt: prompt.name,
    reasons: prompt.reasons,
    appId: params.client_id,
    params,
    sessionUid: session?.uid ?? null,
  };
}

/**
 * Stores the result and returns the address that the browser goes to next. Throws an Error if the interaction is gone.
 *
 * Binds the interaction to the session that gave the result, even if it started with another one: the provider continues only with
 * that session. So it never replaces one user's session by another's.
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

/** Repeats the session's data, since the provider writes it back to the session. */
function submission({ userId, signedInAt, methods }: Session, result: Result): Record<string, unknown> {
  if ('error' in result) return { error: result.error, error_description: result.description };
  if ('agreed' in result) return { consent: {} };
  if ('chosen' in result) return { select_account: {} };
  // Signing in chooses an account, too, and signing up signs in.
  return {
    create: {},
    select_account: {},
    login: { accountId: userId, ts: signedInAt.getTime() / 1000, amr: methods },
  };
}

async function findStored(db: Queries, uid: string): Promise<{ stored: Stored; expiresAt: Date } | null> {
  const record = await findRecord(db, 'Interaction', uid);
  if (!record || record.expiresAt <= new Date()) return null;
  return { stored: record.payload as unknown as Stored, expiresAt: record.expiresAt };
}
