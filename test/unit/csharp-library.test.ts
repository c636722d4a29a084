import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

// test/csharp tries the library itself, where C# is installed. What both libraries must share is compared everywhere.
const read = (path: string) => readFileSync(new URL(`../../sdk/${path}`, import.meta.url), 'utf8');
const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = '']) => found);
const only = (text: string, pattern: RegExp) => {
  const found = all(text, pattern);
  assert.equal(found.length, 1, String(pattern));
  return found[0]!;
};
const pascal = (code: string) => code.replaceAll(/(?:^|-)./g, (part) => part.at(-1)!.toUpperCase());

test('the C# library repeats calls by the numbers of the TypeScript library', () => {
  const [transport, oauth] = [read('src/transport.ts'), read('src/oauth.ts')];
  const rules = read('csharp/Runtime/Calls/RetryRules.cs');
  const number = (name: string) => only(rules, new RegExp(`const int ${name} = (\\d+);`, 'g'));
  for (const [name, source, pattern] of [
    ['Retries', transport, /\bretries = (\d+),/g],
    ['TimeLimitMs', transport, /\btimeoutMs = ([\d_]+),/g],
    ['FirstPauseMs', transport, /const FIRST_PAUSE_MS = ([\d_]+);/g],
    ['LongestPauseMs', transport, /const LONGEST_PAUSE_MS = ([\d_]+);/g],
    ['RefreshTriesMs', oauth, /const REFRESH_TRIES_MS = ([\d_]+);/g],
  ] as const)
    assert.equal(number(name), only(source, pattern).replaceAll('_', ''), name);

  const judged = only(transport, /const JUDGED_BEFORE_THE_KEY[^[]*\[\]? ?=? ?\[([^\]]+)\]/g);
  const judgedInCSharp = only(rules, /JudgedBeforeTheKey =\s*\{([^}]+)\}/g);
  assert.deepEqual(all(judgedInCSharp, /ProblemCode\.(\w+)/g), all(judged, /'([\w-]+)'/g).map(pascal));
});

test('each problem code of the TypeScript library is an exception in C#', () => {
  const types = read('src/api.generated.ts');
  const codes = all(only(types, /export type ProblemCode =([^;]+);/g), /"([\w-]+)"/g);
  assert.ok(codes.length > 30);
  const sources = read('csharp/Runtime/Generated/Problems.cs') + read('csharp/Runtime/Exceptions.cs');
  for (const code of codes)
    assert.match(
      sources,
      new RegExp(`public sealed class ${pascal(code)}Exception : (Problem|Connection)Exception`),
      code,
    );
  const nothing = all(only(types, /NOTHING_DECIDED[^[]*\[\]? ?=? ?\[([^\]]+)\]/g), /'([\w-]+)'/g);
  assert.deepEqual(
    all(only(sources, /MeansNothingWasDecided\(string code\)\s*\{([^}]+)\}/g), /code == (\w+)/g),
    nothing.map(pascal),
  );
});
