import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { codeOf, literalsOf } from '../../scripts/source-text.ts';

const src = resolve(import.meta.dirname, '../../src');

/** Files whose code has this word, by their paths in `src`. */
function filesWith(word: RegExp, read = codeOf): string[] {
  const paths = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  const found = paths.filter((path) => word.test(read(readFileSync(join(src, path), 'utf8'))));
  return found.map((path) => path.replaceAll('\\', '/')).sort();
}

// The table is in docs/inside/settlement.md: "What is read of a header". The compiler refuses all else of a header that nobody vouches for.
test('what a node says in a header is read where it is proven or compared, and nowhere else', () => {
  assert.deepEqual(filesWith(/\bsaidFields\b/), ['chain/blocks.ts']);
  assert.deepEqual(filesWith(/\bvouchFor\(/), ['chain/blocks.ts', 'settlement/agreement.ts', 'settlement/vouch.ts']);
  assert.deepEqual(filesWith(/\bsaidTransactions\(/), [
    'chain/blocks.ts',
    'chain/receipts.ts',
    'settlement/expectation.ts',
  ]);
  assert.deepEqual(filesWith(/\bmaySayLogs\(/), ['chain/blocks.ts', 'chain/token-logs.ts']);
});

test('blocks are read as headers, and else only to see how far an endpoint is', () => {
  const asking = filesWith(/eth_getBlockBy(?:Number|Hash)/, (source) => literalsOf(source).join('\n'));
  const looking = ['chain/look-at-endpoint.ts', 'chain/state.ts', 'wings/doctor/diagnostics/node-checks.ts'];
  assert.deepEqual(asking, ['chain/blocks.ts', ...looking]);
});
