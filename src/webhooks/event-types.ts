/**
 * What apps are told. `request.…`: an app asks a user for quarters. `transfer.…`: an app pays a user. `…completed` may come again
 * after `…reorged`, when the chain has taken the payment back and it was sent once more.
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
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

export function isEventType(text: string): text is EventType {
  return (EVENT_TYPES as readonly string[]).includes(text);
}
