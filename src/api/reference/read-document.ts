import type { Json } from '../describe/describe.ts';

/** The parts of the description that the reference page shows. */
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
type Parameter = { name: string; in: string; required?: boolean; description: string; example: unknown };
type Header = { readonly description: string };
export type DocumentedOperation = {
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
    { description: string; headers?: Record<string, Header>; content: Record<string, Media> }
  >;
};
export type Reference = {
  readonly info: { readonly description: string };
  readonly servers: readonly [{ url: string }];
  readonly tags: readonly { name: string; description: string }[];
  readonly paths: Record<string, Record<string, DocumentedOperation>>;
  readonly components: {
    readonly examples: Record<string, { summary: string; value: { status: number } }>;
    readonly securitySchemes: Record<string, { description: string }>;
  };
};

export type Call = DocumentedOperation & {
  readonly method: string;
  readonly path: string;
  readonly inputs: readonly Parameter[];
};

/** The operations in order, with their parameters resolved. */
export function callsOf(document: Json): Call[] {
  return Object.entries((document as unknown as Reference).paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
      inputs: (operation.parameters ?? []).map((parameter) => resolve<Parameter>(document, parameter)),
    })),
  );
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
