/** Something that the search of the documentation finds. */
export type Entry = {
  readonly kind: 'Guide' | 'Call' | 'Field' | 'Problem' | 'Event';
  readonly title: string;
  /** The place it belongs to: a guide's title, or the method and path of a call. */
  readonly where: string;
  readonly path: string;
  readonly text: string;
};

export function findEntries(entries: readonly Entry[], query: string, most: number): Entry[];
export function excerptOf(entry: Entry, query: string): string;
