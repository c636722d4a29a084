import type { FastifyTypeProvider } from 'fastify';

// typebox makes these schemas too, and loads 370 modules for it: a tenth of the program's start.

declare const TYPE: unique symbol;
const OPTIONAL: unique symbol = Symbol('optional');

/** A JSON Schema (draft 2020-12, as in OpenAPI 3.1), and for the compiler the type of what it accepts. */
export interface TypedSchema<T = unknown> {
  /** Never there. */
  readonly [TYPE]: T;
}
export interface ObjectSchema<P extends Properties = Properties> extends TypedSchema<TypeOfObject<P>> {
  readonly properties: P;
}
interface OptionalSchema<T> extends TypedSchema<T> {
  readonly [OPTIONAL]: true;
}
type Properties = Readonly<Record<string, TypedSchema>>;

/** What a schema accepts. */
export type Static<S extends TypedSchema> = S[typeof TYPE];

type OptionalNames<P extends Properties> = {
  [N in keyof P]: P[N] extends OptionalSchema<unknown> ? N : never;
}[keyof P];
type TypeOfObject<P extends Properties> = Flat<
  { [N in Exclude<keyof P, OptionalNames<P>>]: Static<P[N]> } & { [N in OptionalNames<P>]?: Static<P[N]> }
>;
type Flat<T> = { [N in keyof T]: T[N] };

/** Gives handlers the types of their routes' schemas. */
export interface TypesOfSchemas extends FastifyTypeProvider {
  readonly validator: this['schema'] extends TypedSchema ? Static<this['schema']> : unknown;
  readonly serializer: this['schema'] extends TypedSchema ? Static<this['schema']> : unknown;
}

/** Further keywords of a schema, such as `description` and `pattern`. */
type Keywords = Readonly<Record<string, unknown>>;

const schemaOf = <S extends TypedSchema>(keywords: Keywords): S => keywords as unknown as S;

/** Makes schemas. */
export const Type = {
  String: (more: Keywords = {}) => schemaOf<TypedSchema<string>>({ type: 'string', ...more }),
  Integer: (more: Keywords = {}) => schemaOf<TypedSchema<number>>({ type: 'integer', ...more }),
  Boolean: (more: Keywords = {}) => schemaOf<TypedSchema<boolean>>({ type: 'boolean', ...more }),
  Null: (more: Keywords = {}) => schemaOf<TypedSchema<null>>({ type: 'null', ...more }),
  Literal: <const T extends string | boolean>(value: T, more: Keywords = {}) =>
    schemaOf<TypedSchema<T>>({ type: typeof value, const: value, ...more }),
  Array: <S extends TypedSchema>(items: S, more: Keywords = {}) =>
    schemaOf<TypedSchema<Static<S>[]>>({ type: 'array', items, ...more }),
  Union: <S extends TypedSchema>(anyOf: readonly S[], more: Keywords = {}) =>
    schemaOf<TypedSchema<Static<S>>>({ anyOf, ...more }),
  /** An object that may have other properties too. */
  Object<P extends Properties>(properties: P, more: Keywords = {}) {
    const required = Object.keys(properties).filter((name) => !(OPTIONAL in properties[name]!));
    return schemaOf<ObjectSchema<P>>({
      type: 'object',
      ...(required.length > 0 && { required }),
      properties,
      ...more,
    });
  },
  /** A property that may be absent. */
  Optional: <S extends TypedSchema>(schema: S) =>
    // Not enumerable: it is no keyword.
    Object.defineProperty({ ...schema }, OPTIONAL, { value: true }) as unknown as OptionalSchema<Static<S>>,
  /** A schema of any keywords, for a type that they do not say. */
  Unsafe: <T>(keywords: Keywords) => schemaOf<TypedSchema<T>>(keywords),
};
