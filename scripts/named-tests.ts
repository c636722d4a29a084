/**
 * Checks the tables of docs that say which test shows what. Every file and test named there must exist, and exactly those
 * that only `npm run test:all` runs must be marked. Names are read from the sources; no test is run.
 *
 * In the last column a file is written as `crash/two-processes`, and a test of the file as `"its name"`, with `…` for any
 * text. `(two)` after a name says how many tests have it. `(test:all)` follows what it marks.
 */

const MARK = '(test:all)';
const NUMBERS: Readonly<Record<string, number>> = { two: 2, three: 3, four: 4 };

/** Matches a quoted text or a path, and the number and mark that follow it. */
const NAMED = /(?:"(?<name>[^"]+)"|(?<path>\b[a-z]+(?:\/[a-z-]+)+))`?(?: \((?<number>\w+)\))?(?<mark> \(test:all\))?/g;

/** Matches the first argument of a test or suite. */
const TESTS = /\b(?:test|it|describe)\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g;

/** Lists the faults of `doc`, one sentence each. `sources` maps paths below `test/`, such as `unit/rpc.test.ts`, to sources. */
export function findWrongNames(doc: string, sources: ReadonlyMap<string, string>): string[] {
  const wrong: string[] = [];
  let cells = 0;
  for (const row of doc.split('\n')) {
    const columns = row.split('|').slice(1, -1);
    const isOfTests = columns.length > 1 && /^ Tests? $/.test(columns.at(-1)!);
    cells = isOfTests ? columns.length : columns.length === cells ? cells : 0;
    if (cells > 0 && !isOfTests) wrong.push(...wrongIn(columns.at(-1)!, sources));
  }
  return wrong;
}

function wrongIn(cell: string, sources: ReadonlyMap<string, string>): string[] {
  const wrong: string[] = [];
  let file = '';
  const named = [...cell.matchAll(NAMED)].map(({ groups }) => groups!);
  for (const [i, { name, path, number, mark }] of named.entries()) {
    if (path) file = path;
    // If tests of a file are named, each has its own mark.
    if (path && named[i + 1]?.name) continue;
    const [here, other] = mark ? ['deep.test.ts', 'test.ts'] : ['test.ts', 'deep.test.ts'];
    const what = name ? `${file}: "${name}"` : file;
    const found = countIn(sources.get(`${file}.${here}`), name);
    const expected = number ? NUMBERS[number] : 1;
    if (found === expected) continue;
    if (found > 0) wrong.push(`${what} is named as ${number ?? 'one'}, and is ${found}.`);
    else if (countIn(sources.get(`${file}.${other}`), name) === 0) wrong.push(`${what} is not there.`);
    else if (mark) wrong.push(`${what} runs with \`npm test\` too: it has no ${MARK}.`);
    else wrong.push(`${what} runs with \`npm run test:all\` alone: it needs ${MARK}.`);
  }
  return wrong;
}

/** Counts the tests of a source with this name. Without a name it is 1 if the file exists. */
function countIn(source: string | undefined, name: string | undefined): number {
  if (source === undefined) return 0;
  if (name === undefined) return 1;
  const pattern = new RegExp(`^${plain(name).split(/ ?… ?/).map(RegExp.escape).join('.*')}$`);
  return namesIn(source).filter((known) => pattern.test(known)).length;
}

/** Lists the names of a source's tests, with `…` for inserted values. */
function namesIn(source: string): string[] {
  return [...source.matchAll(TESTS)].map(([, , name]) =>
    plain(name!.replaceAll(/\$\{[^}]*\}/g, '…').replaceAll('\\', '')),
  );
}

/** Uses one kind of apostrophe. */
function plain(text: string): string {
  return text.replaceAll('’', "'");
}
