import { randomUUID } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type UserId, uuidFrom } from '../base/ids.ts';
import { DRAFT_MINUTES, deleteDraft, findDraft, storeDraft } from '../identity/form-drafts.ts';
import type { Service } from '../service/service.ts';
import { parameter } from './request-parameters.ts';
import { draftCookieName, sessionCookieOptions } from './session-cookie.ts';

/** Where a kept form is shown again, followed by its id. */
export const CONTINUE_PATH = '/continue/';

/** A form that arrived when its sender had to confirm who they are. */
export type FormDraft = {
  /** Where it was sent, one of our paths. */
  readonly path: string;
  /** What it does, to complete the sentence "You were about to …"; null if its route does not say. */
  readonly action: string | null;
  readonly fields: readonly (readonly [name: string, value: string])[];
};

/** The forms of these pages are kept. Others have steps that begin anew after signing in. */
const KEPT = /^\/(?:account|developer|operator)\//;
/** What proves who somebody is must be typed again. A form with such a field is not kept, because it would be incomplete. */
const SECRET = /(?:^|_)(?:password|code)s?$/i;
/** The form token ends with the session. A draft that is kept again gets a new id. */
const LEFT_OUT: ReadonlySet<string> = new Set(['csrf', 'draft']);
const MAX_BYTES = 16_384;
const OF_BROWSER = 'browser of a form draft';

/**
 * Keeps the content of a form for a while, sealed, for its sender alone. Call it only for a form of ours that has the sender's form token:
 * what another site made up would otherwise be sent in their name later.
 *
 * Only the browser that sent it opens it again, by a cookie. Otherwise somebody with a copy of an old session could keep a form and then
 * lead its owner to it, whose fresh sign-in would send it.
 *
 * Returns the path where it continues; null if it is not kept.
 */
export async function keepForm(
  { db, vault, publicUrl }: Pick<Service, 'db' | 'vault' | 'publicUrl'>,
  { url: path, headers, body }: Pick<FastifyRequest, 'url' | 'headers' | 'body'>,
  reply: FastifyReply,
  { userId, action }: { readonly userId: UserId; readonly action: string | null },
): Promise<string | null> {
  // Scripts send JSON, and pictures come as multipart: the page cannot send these again.
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded');
  const fields = isForm && KEPT.test(path) ? fieldsOf(body) : null;
  if (!fields) return null;
  const plain = Buffer.from(JSON.stringify({ path, action, fields } satisfies FormDraft));
  if (plain.length > MAX_BYTES) return null;
  const id = randomUUID();
  await storeDraft(db, { userId, id, sealed: vault.seal(plain, contextOf(userId, id)) });
  const browser = vault.mac(OF_BROWSER, id).toString('base64url');
  const options = { ...sessionCookieOptions(publicUrl), maxAge: DRAFT_MINUTES * 60 };
  reply.setCookie(draftCookieName(publicUrl), browser, options);
  return `${CONTINUE_PATH}${id}`;
}

/** Null if the form has a field that is not kept. */
function fieldsOf(body: unknown): FormDraft['fields'] | null {
  const entries = Object.entries((body ?? {}) as Readonly<Record<string, unknown>>);
  const fields = entries
    .filter(([name]) => !LEFT_OUT.has(name))
    .flatMap(([name, value]) => [value].flat().map((each: unknown) => [name, each] as const));
  const isKept = fields.every(([name, value]) => typeof value === 'string' && !SECRET.test(name));
  return isKept ? (fields as FormDraft['fields']) : null;
}

/**
 * The draft, for the user and in the browser that sent it. Null if there is none, or it is too old, or was sent already. `text`: its id, may
 * be unchecked input.
 */
export async function openDraft(
  { db, vault, publicUrl }: Pick<Service, 'db' | 'vault' | 'publicUrl'>,
  { cookies }: Pick<FastifyRequest, 'cookies'>,
  userId: UserId,
  text: string,
): Promise<FormDraft | null> {
  const id = uuidFrom(text);
  const browser = Buffer.from(cookies[draftCookieName(publicUrl)] ?? '', 'base64url');
  if (!id || !vault.macMatches(OF_BROWSER, id, browser)) return null;
  const sealed = await findDraft(db, userId, id);
  return sealed && (JSON.parse(vault.unseal(sealed, contextOf(userId, id)).toString()) as FormDraft);
}

/** A form that continues a draft names it: from now on it is not offered again. */
export async function endDraft({ db }: Pick<Service, 'db'>, userId: UserId, body: unknown): Promise<void> {
  const id = uuidFrom(parameter(body, 'draft') ?? '');
  if (id) await deleteDraft(db, userId, id);
}

function contextOf(userId: UserId, id: string): string {
  return `form draft ${userId} ${id}`;
}
