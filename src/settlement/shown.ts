import { readHeader } from '../chain/blocks.ts';
import type { ShownAuthorization } from '../chain/token-logs.ts';
import { firstSource } from './blame.ts';
import { vouchForBlock } from './vouch.ts';

type Proving = Parameters<typeof vouchForBlock>[0];

/**
 * Which of these authorizations the logs of their blocks show, with the times of the blocks: a range of blocks, in which they were seen, is
 * no more than a node's word. Throws if a block is not there any more, or if nobody vouches for it.
 */
export async function provenAuthorizations(
  service: Proving,
  shown: readonly ShownAuthorization[],
): Promise<(ShownAuthorization & { readonly at: Date })[]> {
  const source = firstSource(service.rpc);
  const proven: (ShownAuthorization & { readonly at: Date })[] = [];
  for (const [number, some] of Map.groupBy(shown, ({ block }) => block)) {
    const said = await readHeader(source.client, number);
    if (!said) throw new Error(`The node does not give block ${number}.`);
    const { header, logs } = await vouchForBlock(service, source, said);
    const inBlock = new Set(logs.map((log) => (log.kind === 'transfer' ? null : textOf(log))));
    proven.push(...some.filter((one) => inBlock.has(textOf(one))).map((one) => ({ ...one, at: header.minedAt })));
  }
  return proven;
}

const textOf = ({ kind, authorizer, nonce }: Pick<ShownAuthorization, 'kind' | 'authorizer' | 'nonce'>) =>
  `${kind} ${authorizer} ${nonce}`;

/** Whether one of these is on the chain. What nobody vouches for may be: then too much is suspected, and not too little. */
export async function mayBeShown(service: Proving, shown: readonly ShownAuthorization[]): Promise<boolean> {
  for (const some of Map.groupBy(shown, ({ block }) => block).values()) {
    const proven = await provenAuthorizations(service, some).catch(() => some);
    if (proven.length > 0) return true;
  }
  return false;
}
