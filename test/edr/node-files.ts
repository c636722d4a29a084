import { testFilesIn } from '../kit/run/import-tests.ts';

/** The usual tests that depend on how a node behaves. They run once more on each other node. */
export const NODE_FILES = [
  '../chain/gas.test.ts',
  '../faults/network.test.ts',
  '../faults/refused-and-reverted.test.ts',
  '../faults/reorganisations.test.ts',
  '../faults/strangers.test.ts',
];

/** They measure the database and a process, whose memory depends on what else is loaded. */
const NOT_OF_NODES = ['audit-process.test.ts', 'costs.test.ts'];

/** Loads these, and those of settlement except `left`. */
export async function importOpTests(left: readonly string[] = []): Promise<void> {
  const folder = new URL('../settlement', import.meta.url).pathname;
  const ofSettlement = testFilesIn(folder).filter((file) => ![...NOT_OF_NODES, ...left].includes(file));
  for (const file of [...NODE_FILES, ...ofSettlement.map((name) => `../settlement/${name}`)]) await import(file);
}
