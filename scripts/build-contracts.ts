/**
 * Compiles contracts/ into src/chain/contracts.generated.ts (ABI and creation bytecode).
 * `--check` writes nothing and exits with 1 if the file differs from what the sources give.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import solc from 'solc';

type Artifact = { abi: unknown[]; evm: { bytecode: { object: string }; deployedBytecode: { object: string } } };
type Output = {
  errors?: { formattedMessage: string }[];
  contracts?: Record<string, Record<string, Artifact>>;
};

const root = resolve(import.meta.dirname, '..');
const target = resolve(root, 'src/chain/contracts.generated.ts');
const names = ['Quarters', 'Settlement'];

/** EIP-170: a chain refuses to deploy more code than this. */
const MAX_DEPLOYED_BYTES = 24_576;

const input = {
  language: 'Solidity',
  sources: Object.fromEntries(names.map((name) => [sourceOf(name), { content: read(sourceOf(name)) }])),
  settings: {
    // Deployed once and called for every transfer, so a larger deployment pays off. More runs change nothing.
    optimizer: { enabled: true, runs: 10_000 },
    // The oldest EVM, and so the most chains, on which OpenZeppelin's ERC-3009 compiles: its imports use MCOPY.
    evmVersion: 'cancun',
    // The code holds no hash of sources and settings, so a changed comment does not change what is deployed.
    metadata: { bytecodeHash: 'none' },
    outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
  },
};

function sourceOf(name: string): string {
  return `contracts/${name}.sol`;
}

function read(path: string): string {
  return readFileSync(resolve(root, path), 'utf8');
}

function findImport(path: string): { contents: string } | { error: string } {
  if (!path.startsWith('@openzeppelin/')) return { error: `only @openzeppelin may be imported, not ${path}` };
  try {
    return { contents: read(`node_modules/${path}`) };
  } catch {
    return { error: `${path} is not in node_modules` };
  }
}

function compile(): Artifact[] {
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: findImport })) as Output;
  // A warning stops the build like an error, because nobody reads the warnings of a passing build.
  const messages = (output.errors ?? []).map((error) => error.formattedMessage);
  if (messages.length > 0) throw new Error(messages.join('\n'));
  return names.map((name) => {
    const artifact = output.contracts?.[sourceOf(name)]?.[name];
    if (artifact === undefined) throw new Error(`${sourceOf(name)} does not define ${name}`);
    const size = artifact.evm.deployedBytecode.object.length / 2;
    if (size > MAX_DEPLOYED_BYTES) throw new Error(`${name} has ${size} bytes, more than a chain accepts (EIP-170)`);
    return artifact;
  });
}

function render(artifacts: Artifact[]): string {
  const parts = artifacts.map((artifact, index) => {
    const prefix = names[index]!.toLowerCase();
    return [
      `export const ${prefix}Abi = ${JSON.stringify(artifact.abi, null, 2)} as const;`,
      `export const ${prefix}Bytecode: \`0x\${string}\` =\n  '0x${artifact.evm.bytecode.object}';`,
    ].join('\n\n');
  });
  return `// Generated from contracts/ by scripts/build-contracts.ts. Do not edit.\n\n${parts.join('\n\n')}\n`;
}

function onDisk(): string {
  try {
    return readFileSync(target, 'utf8');
  } catch {
    return '';
  }
}

try {
  const text = render(compile());
  const file = relative(root, target);
  if (!process.argv.includes('--check')) {
    writeFileSync(target, text);
  } else if (onDisk() !== text) {
    console.error(`${file} does not match contracts/; run \`node scripts/build-contracts.ts\` and commit the result.`);
    process.exitCode = 1;
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
