import { type EventId, eventIdFrom } from '../base/ids.ts';

/** Tells whoever follows events (`quarters listen`), and has no deliveries, that one is delivered again. */
export function redeliveryNote(id: EventId): string {
  return JSON.stringify({ redelivered: id });
}

/** The event that a note of another process tells of; null if it is another kind of note. */
export function redeliveredIn(note: string): EventId | null {
  try {
    const { redelivered } = JSON.parse(note) as { redelivered?: unknown };
    return typeof redelivered === 'string' ? eventIdFrom(redelivered) : null;
  } catch {
    return null;
  }
}
