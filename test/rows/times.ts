/** A value that the database computes. */
export class Expression {
  readonly sql: string;
  constructor(sql: string) {
    this.sql = sql;
  }
}

/** Tests name columns in camel case, as the program does: `userId` is `user_id`. */
export const toColumn = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Now, or that long ago, by the database's clock. `age`: an interval of PostgreSQL, such as `2 hours`. */
export const ago = (age = '0 s') => new Expression(`now() - interval '${age}'`);

/** The column's value, moved back in time. */
export const earlier = (column: string, age: string) => new Expression(`${toColumn(column)} - interval '${age}'`);
