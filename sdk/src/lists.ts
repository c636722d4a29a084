/** The parameters of a list. Undefined ones are left out. */
export type Filter = Readonly<Record<string, string | number | readonly string[] | undefined>>;

export type Page<T> = { readonly data: readonly T[]; readonly next: string | null };

/** All items of a list, one after another. The next page is fetched when needed. */
export async function* walk<T>(read: (query: Filter) => Promise<Page<T>>, filter: Filter): AsyncGenerator<T> {
  let query = filter;
  for (;;) {
    const { data, next } = await read(query);
    yield* data;
    if (next === null) return;
    query = { ...filter, cursor: next };
  }
}
