import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const architectures: Record<string, string> = { x64: 'amd64', arm64: 'arm64' };

/**
 * The anvil binary itself, from the package for this platform. The package's `anvil` command is not used: it is a node
 * script that starts the binary, and ending it leaves the node running and its port taken.
 * @throws with one sentence if there is no binary for this platform or it was not installed
 */
export function anvilBinary(): string {
  const name = `@foundry-rs/anvil-${process.platform}-${architectures[process.arch] ?? process.arch}`;
  const require = createRequire(import.meta.url);
  // The platform package is a dependency of @foundry-rs/anvil. It is resolved from there, because it need not be
  // hoisted. Neither package has an entry point, but a package's own package.json can be resolved.
  try {
    const shim = createRequire(require.resolve('@foundry-rs/anvil/package.json'));
    const binary = join(dirname(shim.resolve(`${name}/package.json`)), 'bin', 'anvil');
    if (existsSync(binary)) return binary;
  } catch {
    // The sentence below explains it better than the resolver's error.
  }
  throw new Error(
    `The embedded chain needs the package ${name}, which is not installed: run "npm install", or set CHAIN_RPC_URL to a node of yours.`,
  );
}
