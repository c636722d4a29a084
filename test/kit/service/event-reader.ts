import assert from 'node:assert/strict';
import type { TestApp } from './service.ts';

type Event = {
  readonly id: string;
  readonly type: string;
  readonly data: { readonly id: string; readonly sequence: number };
};

const PAGE = 100;
/** A reader keeps some older cursors, in case that the database is replaced by an older copy. */
const CURSOR_EACH = 2_000;
const UNDONE = /\.reorged$/;

/** An app's server that follows its events with a cursor, and holds them to their promise: per subject in order, each once. */
export type EventReader = {
  /** Reads on to the end, or until nobody answers. */
  readOn(origin: string): Promise<void>;
  /** The database was replaced by an older copy: what comes next may tell again what is known. */
  begin(): void;
  /** What was last said of each subject. */
  readonly last: ReadonlyMap<string, string>;
  /** Subjects whose first event was not their first. */
  readonly later: ReadonlySet<string>;
  readonly count: number;
};

export function openEventReader({ serverKey }: TestApp): EventReader {
  let sequences = new Map<string, number>();
  const last = new Map<string, string>();
  const later = new Set<string>();
  const cursors: string[] = [];
  let cursor: string | undefined;
  let count = 0;
  let isContinued = false;

  function note({ id, type, data: { id: subject, sequence } }: Event): void {
    const before = sequences.get(subject);
    if (before === undefined && sequence > 1) later.add(subject);
    if (before !== undefined)
      assert.equal(sequence, before + 1, `event ${id}, ${type} of ${subject}, comes after its ${before}th`);
    sequences.set(subject, sequence);
    last.set(subject, type);
    cursor = id;
    if (++count % CURSOR_EACH === 0) cursors.push(id);
  }

  return {
    last,
    later,
    get count() {
      return count;
    },
    begin() {
      // Subjects from before may have further events.
      sequences = new Map();
      isContinued = true;
    },
    async readOn(origin) {
      for (let next: string | null = ''; next !== null; ) {
        const query = new URLSearchParams({ limit: `${PAGE}`, ...(cursor && { cursor }) });
        const headers = { authorization: `Bearer ${serverKey}` };
        const answer = await fetch(`${origin}/v1/events?${query}`, { headers }).catch(() => null);
        if (!answer || answer.status >= 500 || answer.status === 429) return;
        if (answer.status === 400 && isContinued) {
          cursor = cursors.pop();
          continue;
        }
        assert.equal(answer.status, 200, await answer.clone().text());
        const page = (await answer.json().catch(() => null)) as { data: Event[]; next: string | null } | null;
        if (!page) return;
        page.data.forEach(note);
        next = page.next;
      }
    },
  };
}

/** Whether the last event says that a payment is made. */
export const saysPaid = (type: string | undefined) =>
  type !== undefined && /\.completed$/.test(type) && !UNDONE.test(type);
