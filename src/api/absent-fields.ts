import type { preValidationHookHandler } from 'fastify';

/** A part of a body's JSON Schema, as the operations write it. */
type Schema = {
  readonly type?: string;
  readonly minimum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
};

/**
 * Takes out of a body what stands for nothing, before it is validated: `""`, `null` where it has no meaning of its own, and 0 for an optional
 * number that cannot be 0. The serializers of game engines write these for what is not set. What is required is then missing.
 */
export const dropAbsentFields: preValidationHookHandler = ({ routeOptions, body }, _reply, done) => {
  const schema = routeOptions.schema?.body as Schema | undefined;
  if (schema) drop(schema, body);
  done();
};

function drop(schema: Schema, value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const branch of schema.anyOf ?? []) drop(branch, value);
  if (Array.isArray(value)) {
    if (schema.items) for (const item of value) drop(schema.items, item);
    return;
  }
  const fields = value as Record<string, unknown>;
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const isOptional = !schema.required?.includes(name);
    if (isAbsent(property, fields[name], isOptional)) delete fields[name];
    else drop(property, fields[name]);
  }
}

function isAbsent(schema: Schema, value: unknown, isOptional: boolean): boolean {
  if (value === '') return true;
  if (value === null) return !isNullable(schema);
  return value === 0 && isOptional && schema.type === 'integer' && (schema.minimum ?? 0) > 0;
}

const isNullable = ({ type, anyOf }: Schema): boolean => type === 'null' || (anyOf?.some(isNullable) ?? false);
