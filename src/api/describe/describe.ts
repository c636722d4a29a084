import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { Json } from '../../base/json.ts';
import type { ProblemCode } from '../../base/problems.ts';
import type { Caller } from '../../identity/callers.ts';
import type { AllowedCaller, Gate } from '../caller.ts';
import type { ObjectSchema, TypedSchema, TypesOfSchemas } from '../schemas/schema.ts';

/** The groups of operations. */
export const TAGS = {
  Users: 'Players, their accounts, balances and rewards.',
  Guests: 'Players who have not signed up. The app that made a guest acts for it.',
  Requests: 'An app asks a player for quarters. The player approves or declines on a page of the service.',
  Transfers: 'An app pays a player from its own account.',
  Events: "What happened: sent to the app's server as webhooks, and readable for 30 days.",
} as const;

/** The texts about an operation. They leave out what its schemas and its gate already say. */
export type OperationTexts = {
  /** A verb and its object, in camel case. Generated clients name their methods after it. */
  readonly operationId: string;
  readonly tag: keyof typeof TAGS;
  /** A few texts, without a full stop. */
  readonly summary: string;
  /** Sentences about what the schemas cannot say. */
  readonly description?: string;
  /** The problems that are specific to this operation. Those of credentials, scopes, invalid input and our own faults are added to all. */
  readonly problems?: readonly ProblemCode[];
  /** Takes `Idempotency-Key`. */
  readonly idempotent?: true;
  /** Takes `Prefer: wait=N`. */
  readonly waits?: true;
  /** The response has a Location header with the path of the new resource. */
  readonly location?: true;
};

/** The schemas that validate the input and write the response: one success status and its schema. */
type Schemas = {
  readonly params?: ObjectSchema;
  readonly querystring?: ObjectSchema;
  readonly body?: TypedSchema;
  readonly response: { readonly 200: TypedSchema } | { readonly 201: TypedSchema };
};

/** An operation as the route's config holds it, for the API's description (`src/api/openapi`). */
export type Operation = OperationTexts & { readonly admits: AllowedCaller };

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: Operation;
  }
}

/**
 * The options of a described route: its gate (null: the route is public), its schemas, and its texts in the API's description.
 *
 * A schema's `title` makes it a named type of the description. `description` says what a value must be, `examples` show one
 * ({@link EXAMPLES}).
 */
export function describe<S extends Schemas, C extends Caller>(gate: Gate<C> | null, texts: OperationTexts, schema: S) {
  const operation: Operation = { ...texts, admits: gate?.admits ?? {} };
  return { ...(gate && { onRequest: gate.onRequest }), schema, config: { operation } };
}

/** The server that an operation's file registers its route on. The types follow from the route's schemas. */
export type Api = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypesOfSchemas
>;

/** A described route, as registered. */
export type DescribedRoute = {
  readonly method: string;
  /** With the API's prefix: `/v1/requests/:id`. */
  readonly url: string;
  readonly operation: Operation;
  readonly params?: Json;
  readonly querystring?: Json;
  readonly body?: Json;
  readonly response: Json;
};

/** Collects the described routes that are registered after this call, in order. */
export function recordOperations(app: FastifyInstance): readonly DescribedRoute[] {
  const routes: DescribedRoute[] = [];
  app.addHook('onRoute', ({ method, url, schema, config }) => {
    const operation = config?.operation;
    if (!operation || typeof method !== 'string' || method === 'HEAD') return;
    // As JSON, which drops the validator's symbols.
    routes.push({ ...JSON.parse(JSON.stringify(schema)), method, url, operation });
  });
  return routes;
}
