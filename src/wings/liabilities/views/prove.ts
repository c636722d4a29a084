import { type Address, asAddress, toChecksum } from '../../../base/address.ts';
import { bytesToHex } from '../../../base/hex.ts';
import { formerAddresses } from '../../../ledger/swept-accounts.ts';
import type { Service } from '../../../service/service.ts';
import type { LeafProof } from '../store/leaf-chunks.ts';
import { newestProvable, type Publication, readProof } from '../store/publications.ts';
import { hasTop, type LiabilityStatement } from '../store/statement.ts';

/**
 * An account's proof in the newest publication. `proof` is null if the account is younger than that; null alone: nothing is published.
 *
 * Throws if what is stored does not lead to the published root: somebody wrote to the database.
 */
export async function proveAccount(
  { reads }: Pick<Service, 'reads'>,
  address: Address,
): Promise<{ readonly publication: Publication; readonly proof: LeafProof | null } | null> {
  const publication = await newestProvable(reads);
  if (!publication) return null;
  const proof = await proofOf(reads, publication, address);
  if (proof && !hasTop(publication, proof.top)) {
    throw new Error(`The stored leaves of the publication of block ${publication.block} do not lead to its root`);
  }
  return { publication, proof };
}

/** An account that has another address by now may be there with the one that it had. */
async function proofOf(reads: Service['reads'], { root }: Publication, address: Address): Promise<LeafProof | null> {
  const proof = await readProof(reads, root, address);
  if (proof) return proof;
  const former = await Promise.all((await formerAddresses(reads, [address])).map((one) => readProof(reads, root, one)));
  return former.find((one) => one !== null) ?? null;
}

/** A publication for programs. It is public: it holds sums, and nothing of a single account. */
export function publicationJson(publication: Publication) {
  const { root, publishedAt, withdrawnAt } = publication;
  return {
    format: 'quarters.liabilities.v1',
    root,
    ...statementJson(publication),
    publishedAt: publishedAt.toISOString(),
    withdrawnAt: withdrawnAt?.toISOString() ?? null,
  };
}

/** The file that a player downloads and checks. It holds their own leaf, and hashes and sums beside its way to the root. */
export function proofJson(publication: Publication, { leaf, index, path }: LeafProof) {
  return {
    format: 'quarters.liability-proof.v1',
    root: publication.root,
    statement: statementJson(publication),
    leaf: {
      address: toChecksum(asAddress(bytesToHex(leaf.address))),
      salt: bytesToHex(leaf.salt),
      balance: Number(leaf.balance),
      rewards: Number(leaf.rewards),
    },
    index,
    path: path.map(({ hash, balance, rewards }) => ({
      hash: bytesToHex(hash),
      balance: Number(balance),
      rewards: Number(rewards),
    })),
  };
}

function statementJson(said: LiabilityStatement) {
  return {
    chainId: said.chainId,
    token: toChecksum(said.token),
    treasury: toChecksum(said.treasury),
    block: Number(said.block),
    blockHash: said.blockHash,
    supply: Number(said.supply),
    inTreasury: Number(said.inTreasury),
    accounts: said.accounts,
    overdrawn: said.overdrawn,
    depth: said.depth,
    tree: said.tree,
    balances: Number(said.balances),
    rewards: Number(said.rewards),
  };
}
