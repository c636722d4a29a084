import type { Json } from '../../base/json.ts';

/** Schemas as the description prints them. A schema with a `title` is printed once, under `components`, and referred to. */
export class NamedSchemas {
  readonly all: Record<string, Json> = {};

  /** The schema, or a reference to it if it has a title. Throws if two different schemas have the same title. */
  print({ title, ...schema }: Json): Json {
    const printed = this.#inside(schema);
    if (typeof title !== 'string') return printed;
    const known = this.all[title];
    if (known && JSON.stringify(known) !== JSON.stringify(printed)) throw new Error(`Two schemas are titled ${title}`);
    this.all[title] = printed;
    return { $ref: `#/components/schemas/${title}` };
  }

  /** The schema with its inner schemas printed. */
  #inside(schema: Json): Json {
    const { properties, items, anyOf } = schema as { properties?: Json; items?: Json; anyOf?: Json[] };
    const print = (inner: unknown) => this.print(inner as Json);
    return {
      ...schema,
      ...(properties && {
        properties: Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, print(inner)])),
      }),
      ...(items && { items: print(items) }),
      ...(anyOf && { anyOf: anyOf.map(print) }),
    };
  }
}

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
