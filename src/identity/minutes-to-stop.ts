/**
 * So long an owner can stop what a thief may have added, before it moves quarters. In development mode nothing is of value, and a developer
 * waits for it.
 */
export const minutesToStop = ({ development }: { readonly development: boolean }): number =>
  development ? 1 : MINUTES_TO_STOP;

/** Outside of development mode, whatever is set. */
export const MINUTES_TO_STOP = 24 * 60;
