/**
 * `npm test` runs the usual tier of the tests, several processes at a time on one PostgreSQL. `npm run test:all` runs every test,
 * some with more cases. `npm test -- <files>` runs only these files.
 */
import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { globalSetup } from '../test/kit/service/global-setup.ts';
import { runTests } from './test-run.ts';

const root = join(import.meta.dirname, '..');
const { values, positionals } = parseArgs({ options: { all: { type: 'boolean' } }, allowPositionals: true });
const named = positionals.map((path) => relative(root, resolve(root, path)).replaceAll('\\', '/'));
const missing = named.filter((path) => !existsSync(join(root, path)));
if (missing.length > 0) {
  console.error(`Not found: ${missing.join(', ')}. Usage: npm test -- [files, or a folder's all.ts]`);
  process.exit(2);
}
const tier = values.all ? 'all' : 'usual';
// The usual tier tries the core without wings (test/kit/service/house.ts), this one with all.
if (values.all) process.env.QUARTERS_TEST_WINGS ??= 'all';
if (!(await runTests({ root, tier, named, setUp: globalSetup }))) process.exitCode = 1;
