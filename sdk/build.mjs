/**
 * Writes `dist`, or another folder that is named: the library as ES modules, and as CommonJS, which jest and many servers load.
 * `node build.mjs <folder> emulator` builds the package in that folder instead of this one.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const TSC = resolve(import.meta.dirname, '../node_modules/typescript/bin/tsc');
const AS_COMMONJS = ['--module', 'commonjs', '--moduleResolution', 'bundler', '--verbatimModuleSyntax', 'false'];
const project = join(import.meta.dirname, process.argv[3] ?? '.');
const out = resolve(process.argv[2] ?? join(project, 'dist'));

compile(join(out, 'esm'), []);
compile(join(out, 'cjs'), AS_COMMONJS);
writeFileSync(join(out, 'cjs/package.json'), '{ "type": "commonjs" }\n');

function compile(folder, options) {
  const args = [TSC, '-p', project, '--outDir', folder, ...options];
  execFileSync(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  // The compiler leaves the names of our sources in what it declares.
  for (const name of readdirSync(folder).filter((name) => name.endsWith('.d.ts'))) {
    const path = join(folder, name);
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/(['"]\.\/[\w.-]+)\.ts(?=['"])/g, '$1.js'));
  }
}
