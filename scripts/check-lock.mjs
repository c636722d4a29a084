/**
 * Part of `npm run check`: what the lock file promises. Every package has a checksum, so that nobody on the way can change
 * it; none has the address it was read from, so that everybody's own registry serves it.
 */
import { readFileSync } from 'node:fs';

/**
 * Optional packages of other platforms whose checksums could not be read when the lock file was written. Without an entry
 * `npm ci` refuses the whole file (EUSAGE). To be completed before a release; by version, so that an update looks again.
 */
const WITHOUT_CHECKSUM = new Set([
  '@biomejs/cli-android-arm64@2.6.8',
  '@biomejs/cli-android-x64@2.6.8',
  '@biomejs/cli-darwin-arm64@2.6.8',
  '@biomejs/cli-darwin-x64@2.6.8',
  '@biomejs/cli-linux-arm64-musl@2.6.8',
  '@biomejs/cli-linux-x64-musl@2.6.8',
  '@biomejs/cli-win32-arm64@2.6.8',
  '@biomejs/cli-win32-x64@2.6.8',
  '@foundry-rs/anvil-darwin-amd64@1.7.1',
  '@foundry-rs/anvil-darwin-arm64@1.7.1',
  '@foundry-rs/anvil-linux-arm64@1.7.1',
  '@foundry-rs/anvil-win32-amd64@1.7.1',
  '@oxc-parser/binding-android-arm-eabi@0.156.0',
  '@oxc-parser/binding-android-arm64@0.156.0',
  '@oxc-parser/binding-darwin-arm64@0.156.0',
  '@oxc-parser/binding-darwin-x64@0.156.0',
  '@oxc-parser/binding-freebsd-x64@0.156.0',
  '@oxc-parser/binding-linux-arm-gnueabihf@0.156.0',
  '@oxc-parser/binding-linux-arm-musleabihf@0.156.0',
  '@oxc-parser/binding-linux-ppc64-gnu@0.156.0',
  '@oxc-parser/binding-linux-riscv64-gnu@0.156.0',
  '@oxc-parser/binding-linux-riscv64-musl@0.156.0',
  '@oxc-parser/binding-linux-s390x-gnu@0.156.0',
  '@oxc-parser/binding-openharmony-arm64@0.156.0',
  '@oxc-parser/binding-win32-arm64-msvc@0.156.0',
  '@oxc-parser/binding-win32-ia32-msvc@0.156.0',
  '@oxc-parser/binding-win32-x64-msvc@0.156.0',
]);

const lockFile = new URL('../package-lock.json', import.meta.url);
const faults = [];
const excused = new Set();
for (const [path, entry] of Object.entries(JSON.parse(readFileSync(lockFile, 'utf8')).packages)) {
  if (path === '') continue;
  const name = `${path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${entry.version}`;
  if (entry.resolved !== undefined)
    faults.push(`${name} names the address it was read from ("resolved"): take it out.`);
  if (entry.integrity) continue;
  if (entry.optional && WITHOUT_CHECKSUM.has(name)) excused.add(name);
  else faults.push(`${name} has no checksum ("integrity").`);
}
for (const name of WITHOUT_CHECKSUM) {
  if (!excused.has(name))
    faults.push(`${name} needs no excuse any more: take it off the list in scripts/check-lock.mjs.`);
}
for (const fault of faults) process.stderr.write(`package-lock.json: ${fault}\n`);
process.exitCode = faults.length > 0 ? 1 : 0;
