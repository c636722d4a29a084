import { changing, type Queries } from './statements.ts';

/** Gives the tables the level of another release. */
export const setCompatibility = (db: Queries, level: number) =>
  changing<{ readonly level: number }>('compatibility')(db, {}, { level });

/** A migration of a release beside which no earlier one runs. */
export const raiseLevel = (level: number) => `UPDATE compatibility SET level = ${level};\n`;

/** What an orderly stop has written. */
export const changeMark = changing<{ readonly leftAt: Date }>('left_in_order');
