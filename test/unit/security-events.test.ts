import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ALL_SECURITY_EVENTS } from '../../src/base/security-log.ts';

const ROOT = join(import.meta.dirname, '../../src');

test('every security event of the registry is logged somewhere, and the registry is sorted', () => {
  const source = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && path !== join('base', 'security-log.ts'))
    .map((path) => readFileSync(join(ROOT, path), 'utf8'))
    .join('\n');
  const unused = ALL_SECURITY_EVENTS.filter((event) => !source.includes(`'${event}'`));
  assert.deepEqual(unused, [], 'an alarm on these would never come');
  assert.deepEqual(ALL_SECURITY_EVENTS, ALL_SECURITY_EVENTS.toSorted());
});
