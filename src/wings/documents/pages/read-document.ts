import type { Json } from '../../../base/json.ts';

/** The parts of the description that the documentation shows. */
export type Schema = {
  readonly $ref?: string;
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
};
type Media = { readonly schema: Schema; readonly example?: unknown };
type Problems = { readonly examples?: Readonly<Record<string, unknown>> };
type Header = { readonly description: string };
export type Input = {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description: string;
  readonly schema: Schema;
  readonly example?: unknown;
};
type DocumentedOperation = {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly servers?: readonly { url: string }[];
  readonly security: readonly Record<string, string[]>[];
  readonly parameters?: readonly object[];
  readonly requestBody?: { readonly required: boolean; readonly content: { 'application/json': Media } };
  readonly responses: Record<
    string,
    { description: string; headers?: Record<string, Header>; content: Record<string, Media & Problems> }
  >;
};
type Reference = {
  readonly info: { readonly description: string };
  readonly servers: readonly [{ url: string }];
  readonly tags: readonly { name: string; description: string }[];
  readonly paths: Record<string, Record<string, DocumentedOperation>>;
  readonly webhooks: Record<string, Record<string, DocumentedOperation>>;
  readonly components: {
    readonly schemas: Record<string, Schema>;
    readonly headers: Record<string, Header>;
    readonly securitySchemes: Record<string, { description: string }>;
  };
};

/** An operation with what its documentation needs. */
export type Call = Omit<DocumentedOperation, 'servers' | 'parameters' | 'requestBody' | 'responses'> & {
  /** In capitals. Empty for a webhook, which is not called but received. */
  readonly method: string;
  readonly path: string;
  /** The address that the path continues. */
  readonly server: string;
  readonly inputs: readonly Input[];
  readonly body: (Media & { readonly required: boolean }) | undefined;
  readonly response:
    | (Media & { readonly status: string; readonly description: string; readonly headers: Record<string, Header> })
    | undefined;
  /** By status, in the order of the description. */
  readonly problems: readonly { readonly status: string; readonly codes: readonly string[] }[];
};

/** A group of calls: one page. */
export type Group = {
  readonly name: string;
  /** The last part of the page's address. */
  readonly slug: string;
  readonly description: string;
  readonly calls: readonly Call[];
};

export function referenceOf(document: Json): Reference {
  return document as unknown as Reference;
}

/** The operations by tag, in the order of the description. A webhook follows the calls of its group. */
export function groupsOf(document: Json): Group[] {
  const { paths, webhooks, tags, servers } = referenceOf(document);
  const read = (operations: Record<string, Record<string, DocumentedOperation>>, isCall: boolean) =>
    Object.entries(operations).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) =>
        callOf(document, operation, isCall ? method.toUpperCase() : '', path, servers[0].url),
      ),
    );
  const calls = [...read(paths, true), ...read(webhooks, false)];
  return tags.map(({ name, description }) => ({
    name,
    slug: name.toLowerCase().replaceAll(' ', '-'),
    description,
    calls: calls.filter((call) => call.tags.includes(name)),
  }));
}

function callOf(document: Json, operation: DocumentedOperation, method: string, path: string, base: string): Call {
  const { servers, parameters = [], requestBody, responses, ...texts } = operation;
  const [[status, success] = [], ...refusals] = Object.entries(responses);
  const media = success?.content?.['application/json'];
  // The headers of every response are references, and described once.
  const headers = Object.entries(success?.headers ?? {}).filter(([, header]) => !('$ref' in header));
  return {
    ...texts,
    method,
    path,
    server: servers?.[0]?.url ?? base,
    inputs: parameters.map((parameter) => resolve<Input>(document, parameter)),
    body: requestBody && { required: requestBody.required, ...requestBody.content['application/json'] },
    response:
      status && success && media
        ? { ...media, status, description: success.description, headers: Object.fromEntries(headers) }
        : undefined,
    problems: refusals.map(([refused, { content }]) => ({
      status: refused,
      codes: Object.keys(content['application/problem+json']?.examples ?? {}),
    })),
  };
}

/** Resolves a reference (`#/components/…`). Returns any other value as it is. */
export function resolve<T>(document: Json, value: object): T {
  const { $ref } = value as { $ref?: string };
  if ($ref === undefined) return value as T;
  return $ref
    .split('/')
    .slice(1)
    .reduce<unknown>((at, step) => (at as Json)[step], document) as T;
}

/** The last part of a reference. */
export function nameOf({ $ref }: { readonly $ref?: string }): string | undefined {
  return $ref?.split('/').at(-1);
}
