import type { TObject, TSchema } from 'typebox';
import type { ProblemCode } from '../../base/problems.ts';
import type { Caller } from '../../identity/callers.ts';
import type { Admission, Gate } from '../caller.ts';

/** What the operations are grouped by. */
export const TAGS = {
  Users: 'The player, their account, balance and rewards.',
  Guests: 'Players without an account of their own, in the hands of the app that made them.',
  Requests: 'An app asks a player for quarters; the player approves or declines on a page of the service.',
  Transfers: 'An app pays a player from its own account.',
  Events: 'What happened, sent to a server of the app as webhooks, and to be read for 30 days.',
} as const;

/** What an operation is to its reader. What its schemas and its gate tell already is not said again. */
export type Words = {
  /** A verb and what it acts on, in camel case: generated clients name their method after it. */
  readonly operationId: string;
  readonly tag: keyof typeof TAGS;
  /** A few words, without a full stop. */
  readonly summary: string;
  /** Sentences: what the schemas can not say. */
  readonly description?: string;
  /** What this operation alone is refused for. Credential, scope, form of the input and faults of ours are known. */
  readonly problems?: readonly ProblemCode[];
  /** Takes `Idempotency-Key`. */
  readonly idempotent?: true;
  /** Takes `Prefer: wait=N`. */
  readonly waits?: true;
  /** The answer names the new thing's path. */
  readonly location?: true;
};

/** What validates the input and writes the answer: one success status and its schema. */
type Schemas = {
  readonly params?: TObject;
  readonly querystring?: TObject;
  readonly body?: TSchema;
  readonly response: { readonly 200: TSchema } | { readonly 201: TSchema };
};

/** An operation as its route carries it, for the description (`src/http/openapi`). */
export type Operation = Words & { readonly admits: Admission };

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: Operation;
  }
}

/**
 * The options of a described route: its gate (null: it is for everybody), its schemas, and what the API's description says of it.
 *
 * A schema's `title` makes it a named type of the description, `description` tells what a value must be, `examples` what it looks
 * like ({@link EXAMPLES}).
 */
export function describe<S extends Schemas, C extends Caller>(gate: Gate<C> | null, words: Words, schema: S) {
  const operation: Operation = { ...words, admits: gate?.admits ?? {} };
  return { ...(gate && { onRequest: gate.onRequest }), schema, config: { operation } };
}
