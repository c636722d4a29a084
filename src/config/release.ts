import { readFileSync } from 'node:fs';

/** What a program is, as far as other programs on its database are concerned. */
export type Release = {
  /** Of package.json. */
  readonly version: string;
  /** Only programs of one level run on a database together. */
  readonly compatibility: number;
};

/**
 * Raised by one whenever this program and the latest release cannot run on one database together: a table, a stored form or the lock
 * order has changed. A migration raises the database's level then, too (CONTRIBUTING.md).
 */
const COMPATIBILITY = 2;

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};

/** This program. */
export const RELEASE: Release = { version, compatibility: COMPATIBILITY };
