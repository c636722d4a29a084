/**
 * Part of `npm run check`: checks package.json and the lock file. Every package has a checksum, so that nobody can change it on
 * the way. None has the URL that it was read from, so that any registry can serve it. Direct dependencies are pinned to one
 * version, and production dependencies have a permissive licence.
 */
import { readFileSync } from 'node:fs';

/** Licences that require only their notice, by SPDX identifier. Read any other licence before adding it here. */
const PERMISSIVE = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
]);
const EXACT_VERSION = /^\d+\.\d+\.\d+(-[\w.]+)?$/;

const read = (name) => JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'));
const { packages } = read('package-lock.json');
const { dependencies, devDependencies, optionalDependencies, allowScripts } = read('package.json');
const faults = [];

for (const [path, entry] of Object.entries(packages)) {
  if (path === '') continue;
  const name = `${path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${entry.version}`;
  if (entry.resolved !== undefined)
    faults.push(`package-lock.json: ${name} has the URL that it was read from ("resolved"). Remove it.`);
  // npm installs a package without a checksum unchecked.
  if (!entry.integrity?.startsWith('sha512-'))
    faults.push(`package-lock.json: ${name} has no SHA-512 checksum ("integrity").`);
  if (!entry.dev && !isPermissive(entry.license))
    faults.push(`package-lock.json: ${name} runs in production, and its licence is ${entry.license ?? 'not named'}.`);
}

for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })) {
  if (!EXACT_VERSION.test(version)) faults.push(`package.json: ${name} is not pinned to one version (${version}).`);
}

for (const name of Object.keys(allowScripts)) {
  if (!packages[`node_modules/${name}`]?.hasInstallScript)
    faults.push(`package.json: "allowScripts" names ${name}, which has no install script.`);
}

for (const fault of faults) process.stderr.write(`${fault}\n`);
process.exitCode = faults.length > 0 ? 1 : 0;

/** `licence` is an SPDX expression. Of a choice (`A OR B`), one permissive licence is enough. Others need a person. */
function isPermissive(licence = '') {
  return licence
    .replace(/^\((.*)\)$/, '$1')
    .split(' OR ')
    .some((id) => PERMISSIVE.has(id));
}
