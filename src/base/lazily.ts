/** What `make` makes, made once, when first asked for: a start does not wait for what may never be needed. */
export function lazily<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
