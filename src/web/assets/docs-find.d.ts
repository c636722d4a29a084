/** Something that the search of the documentation finds. */
export type Entry = {
  readonly kind: 'Guide' | 'Operate' | 'Call' | 'Field' | 'Problem' | 'Event';
  readonly title: string;
  /** The place it belongs to: a guide's title, or the method and path of a call. */
  readonly where: string;
  readonly path: string;
  readonly text: string;
};

/** An entry, and the part of its text that has what was asked for. */
export type FoundEntry = Entry & { readonly excerpt: string };

export type Search = (query: string, most: number) => FoundEntry[];

export function openSearch(entries: readonly Entry[]): Search;
