/** Runs one SQL statement; `text` must be a constant of the program (each is prepared once per connection). */
export type Query = <Row extends object = Record<string, never>>(
  text: string,
  values?: readonly unknown[],
) => Promise<Row[]>;

/** What runs statements: the pool, or a transaction's connection. */
export type Queries = { readonly query: Query };
