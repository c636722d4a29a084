/**
 * The events that apps are notified of. `request.…`: an app asks a user for quarters. `transfer.…`: an app pays a user. `…reorged`:
 * the chain has undone the payment. It is sent again, and another `…completed` follows.
 */
export const EVENT_TYPES = [
  'request.approved',
  'request.declined',
  'request.expired',
  'request.cancelled',
  'request.completed',
  'request.reorged',
  'request.failed',
  'transfer.completed',
  'transfer.reorged',
  'transfer.failed',
  'guest.converted',
  'guest.merged',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

export function isEventType(text: string): text is EventType {
  return (EVENT_TYPES as readonly string[]).includes(text);
}
