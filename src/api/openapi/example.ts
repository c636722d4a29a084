import type { Json } from './json.ts';

/** An example value of a schema, built from the `examples` of its parts. Throws where a part has no example. */
export function exampleOf(schema: Json): unknown {
  const { examples, const: only, anyOf, type, items, properties } = schema;
  if (Array.isArray(examples)) return examples[0];
  if (only !== undefined) return only;
  if (Array.isArray(anyOf)) return exampleOf(anyOf[0]);
  if (type === 'array') return [exampleOf(items as Json)];
  if (type !== 'object') throw new Error(`A schema has no example: ${JSON.stringify(schema)}`);
  return Object.fromEntries(
    Object.entries((properties ?? {}) as Json).map(([name, s]) => [name, exampleOf(s as Json)]),
  );
}
