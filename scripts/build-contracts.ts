/**
 * Compiles contracts/ into src/chain/contracts.generated.ts (creation bytecode) and test/kit/unit/contracts.generated.ts (ABI: the service
 * encodes its calls itself). `--check` writes nothing and exits with 1 if a file differs from what the sources give.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import solc from 'solc';

type Artifact = { abi: unknown[]; evm: { bytecode: { object: string }; deployedBytecode: { object: string } } };
type Output = {
  errors?: { formattedMessage: string }[];
  contracts?: Record<string, Record<string, Artifact>>;
};

const root = resolve(import.meta.dirname, '..');
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

/** What is written, by its path. `prefix`: of an exported name. */
const FILES: Readonly<Record<string, (artifact: Artifact, prefix: string) => string>> = {
  'src/chain/contracts.generated.ts': ({ evm }, prefix) =>
    `export const ${prefix}Bytecode: \`0x\${string}\` =\n  '0x${evm.bytecode.object}';`,
  'test/kit/unit/contracts.generated.ts': ({ abi }, prefix) =>
    `export const ${prefix}Abi = ${JSON.stringify(abi, null, 2)} as const;`,
};

function onDisk(file: string): string {
  try {
    return read(file);
  } catch {
    return '';
  }
}

try {
  const artifacts = compile();
  for (const [file, partOf] of Object.entries(FILES)) {
    const parts = artifacts.map((artifact, i) => partOf(artifact, names[i]!.toLowerCase()));
    const text = `// Generated from contracts/ by scripts/build-contracts.ts. Do not edit.\n\n${parts.join('\n\n')}\n`;
    if (!process.argv.includes('--check')) {
      writeFileSync(resolve(root, file), text);
    } else if (onDisk(file) !== text) {
      console.error(
        `${file} does not match contracts/; run \`node scripts/build-contracts.ts\` and commit the result.`,
      );
      process.exitCode = 1;
    }
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
