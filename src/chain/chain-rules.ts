import { pinned, type Rpc } from './rpc.ts';

type Instruction = {
  readonly name: string;
  readonly opcode: number;
  /** The upgrade of Ethereum that brought it. */
  readonly since: string;
  /** Code of a creation that runs it and leaves an empty contract. */
  readonly trial: string;
};

/** What our contracts use of the instructions that some chains lack. A test compares it with their code. */
export const NEWER_INSTRUCTIONS: readonly Instruction[] = [
  { name: 'PUSH0', opcode: 0x5f, since: 'Shanghai', trial: '0x5f5ff3' },
  { name: 'MCOPY', opcode: 0x5e, since: 'Cancun', trial: '0x6000600060005e60006000f3' },
];

/** As the trials, with instructions that every chain has. */
const CONTROL = '0x60006000f3';

/**
 * Says which instructions of our contracts the chain lacks, such as "MCOPY (Cancun)"; null if none, or if the node does not say. It runs
 * each in a call, which changes nothing and which forks and rollups answer too: a chain id or a version would say less.
 */
export async function missingInstructions(rpc: Rpc): Promise<string | null> {
  const calls = [CONTROL, ...NEWER_INSTRUCTIONS.map(({ trial }) => trial)].map((data) => {
    return { method: 'eth_call', params: [{ data }, 'latest'] };
  });
  const [control, ...trials] = await pinned(rpc).batch(calls);
  // Where even this fails, the node does not run creations in calls.
  if (control?.kind !== 'result') return null;
  const missing = NEWER_INSTRUCTIONS.filter((_, i) => trials[i]?.kind === 'error');
  return missing.length === 0 ? null : missing.map(({ name, since }) => `${name} (${since})`).join(' and ');
}
