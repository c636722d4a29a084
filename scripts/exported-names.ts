/**
 * Checks that names are unique: no two files of src/ export the same name, and none of our imports is renamed. Only a name that
 * exists twice needs a new one. `node scripts/exported-names.ts` prints each breach.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

const DECLARED =
  /^export (?:declare )?(?:default )?(?:async )?(?:abstract )?(?:function\*?|const|let|class|type|interface|enum) (\w+)/gm;
const DESTRUCTURED = /^export (?:const|let) [{[]([^=]*)[}\]] =/gm;
/** Matches a list with its module, or without one, as in `export { a }`. */
const LISTED = /^(import|export)(?: type)?(?: \w+,)? \{([^}]*)\}(?: from '([^']*)')?;/gm;

/** Matches each entry of `export { a as b, type c }`: its own name, and its new one. */
function listed(names: string): { readonly own: string; readonly given: string }[] {
  return names
    .replace(/\/\/[^\n]*/g, '')
    .split(',')
    .map((name) => name.trim().replace(/^type /, ''))
    .filter((name) => name !== '')
    .map((name) => {
      const [own = '', given = own] = name.split(/ as |: /);
      return { own, given };
    });
}

/** Lists what a source exports, types and values. It leaves out what it passes on (`export … from`), which another file exports. */
export function exportsOf(source: string): string[] {
  return [
    ...[...source.matchAll(DECLARED)].map(([, name]) => name!),
    ...[...source.matchAll(DESTRUCTURED)].flatMap(([, names]) => listed(names!).map(({ given }) => given)),
    ...[...source.matchAll(LISTED)]
      .filter(([, statement, , from]) => statement === 'export' && from === undefined)
      .flatMap(([, , names]) => listed(names!).map(({ given }) => given)),
  ];
}

/** Lists each name that several files export, and each renamed import or export, one sentence each. */
export function findTwins(files: ReadonlyMap<string, string>): string[] {
  const sources = [...files].filter(([path]) => path.startsWith('src/') && path.endsWith('.ts'));
  const homes = new Map<string, string[]>();
  const renamed: string[] = [];
  for (const [path, source] of sources) {
    for (const name of new Set(exportsOf(source))) homes.set(name, [...(homes.get(name) ?? []), path]);
    for (const [, , names, from] of source.matchAll(LISTED)) {
      // A package may use a name of ours.
      if (from !== undefined && !from.startsWith('.')) continue;
      const where = from === undefined ? path : `${path}, from ${posix.join(posix.dirname(path), from)}`;
      for (const { own, given } of listed(names!)) {
        if (own !== given) renamed.push(`${own} is renamed to ${given} in ${where}.`);
      }
    }
  }
  const twins = [...homes].filter(([, paths]) => paths.length > 1).sort(([a], [b]) => a.localeCompare(b));
  return [...twins.map(([name, paths]) => `${name} is exported by ${paths.join(' and ')}.`), ...renamed];
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..');
  const paths = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .map((path) => posix.join('src', path.replaceAll('\\', '/')))
    .filter((path) => path.endsWith('.ts'))
    .sort();
  const found = findTwins(new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')])));
  for (const sentence of found) console.log(sentence);
  if (found.length > 0) process.exitCode = 1;
}
