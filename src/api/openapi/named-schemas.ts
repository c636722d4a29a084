import type { Json } from './json.ts';

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
