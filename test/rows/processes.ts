import { changing, type Queries } from './statements.ts';

/** Gives the tables the level of another release. */
export const setCompatibility = (db: Queries, level: number) =>
  changing<{ readonly level: number }>('compatibility')(db, {}, { level });
