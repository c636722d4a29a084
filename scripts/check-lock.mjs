/**
 * Part of `npm run check`: what package.json and the lock file promise. Every package has a checksum, so that nobody on the way
 * can change it; none has the address it was read from, so that everybody's own registry serves it. Direct dependencies are
 * pinned to one version, and what runs in production has a permissive licence.
 */
import { readFileSync } from 'node:fs';

/** Licences that ask for their notice alone, by SPDX identifier. Another one is a decision: read it, then add it. */
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
    faults.push(`package-lock.json: ${name} names the address it was read from ("resolved"): take it out.`);
  // npm installs a package without one unchecked, whatever it is given.
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

/** `licence`: an SPDX expression. Of a choice (`A OR B`) one is enough; anything harder is read by a person. */
function isPermissive(licence = '') {
  return licence
    .replace(/^\((.*)\)$/, '$1')
    .split(' OR ')
    .some((id) => PERMISSIVE.has(id));
}
