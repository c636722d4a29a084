/** What a list is asked for; undefined is not asked. */
export type Filter = Readonly<Record<string, string | number | readonly string[] | undefined>>;

export type Page<T> = { readonly data: readonly T[]; readonly next: string | null };

/** All items of a list, one after another; the next page is read when it is needed. */
export async function* walk<T>(read: (query: Filter) => Promise<Page<T>>, filter: Filter): AsyncGenerator<T> {
  let query = filter;
  for (;;) {
    const { data, next } = await read(query);
    yield* data;
    if (next === null) return;
    query = { ...filter, cursor: next };
  }
}
