/** Calls `make` once, on first use, so that a start does not wait for what may never be needed. */
export function lazily<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
