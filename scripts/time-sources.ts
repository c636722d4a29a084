import { codeOf, literalsOf } from './source-text.ts';

// The emulator moves the time of a service (docs: local/emulator/). It can move what asks `Date` and the functions of the database, and nothing
// else. And nobody else may move anything.

/** Keywords of SQL and texts that PostgreSQL takes for the time: no function of another schema stands before them. */
const UNMOVABLE =
  /\b(current_timestamp|current_date|current_time|localtimestamp|localtime|timeofday)\b|'(now|today|tomorrow|yesterday)'/i;
/** What is bound to a function when it is made, and is no default of a column, which the emulator binds anew. */
const BOUND = /CREATE (OR REPLACE )?(MATERIALIZED )?VIEW[^;]*\b(now|\w+_timestamp)\(\)|\bBEGIN ATOMIC\b/i;
const MOVES = /\bsyncBuiltinESMExports\b|\b(globalThis|global)\.Date\b|\bDate\.now\s*=[^=]/;
const MOVER = 'local/emulator/';

/** One sentence for each place that asks for a time which the emulator cannot move, or that moves time itself. `files`: sources and migrations by path. */
export function findTimeBreaches(files: ReadonlyMap<string, string>): string[] {
  return [...files].flatMap(([path, source]) => {
    if (path.startsWith('migrations/')) return sqlBreaches(path, [source.replace(/--.*$/gm, '')]);
    if (!/^(src|local)\//.test(path)) return [];
    const texts = literalsOf(source);
    const breaches = sqlBreaches(path, texts);
    if (path.startsWith(MOVER)) return breaches;
    if (MOVES.test(codeOf(source))) breaches.push(`${path} moves the time of its process, which only ${MOVER} does.`);
    if (texts.some((text) => /\bsearch_path\b/.test(text)))
      breaches.push(`${path} sets a search path. Only ${MOVER} does, to move the database's time.`);
    return breaches;
  });
}

function sqlBreaches(path: string, texts: readonly string[]): string[] {
  const breaches: string[] = [];
  const [word] = texts.flatMap((text) => UNMOVABLE.exec(text)?.[0] ?? []);
  if (word) breaches.push(`${path}: ${word} cannot be moved by the emulator. Use now() or clock_timestamp().`);
  if (texts.some((text) => BOUND.test(text)))
    breaches.push(`${path} binds a view or function to the real time. The emulator cannot move it.`);
  return breaches;
}
