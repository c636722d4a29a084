import type { Address } from '../../base/address.ts';
import type { RequestId } from '../../base/ids.ts';
import { readShownAuthorizations } from '../../chain/token-logs.ts';
import { readNonceOfPayment, readWhat } from '../../custody/payment-nonces.ts';
import type { Tx } from '../../db/database.ts';
import {
  authorizationsOfOurs,
  findTreasury,
  oursAmong,
  type RecoveredAccount,
  recoverAccounts,
} from '../../ledger/accounts.ts';
import { blocksOfUnknownPayments, endOfPostingPage } from '../../ledger/audit.ts';
import { type PostedBlock, waitForFollowing } from '../../ledger/blocks.ts';
import { readPostingsOf } from '../../ledger/postings.ts';
import { blockOfUnknownSweep } from '../../ledger/sweeps.ts';
import { recoverWithdrawals } from '../../ledger/withdrawals.ts';
import type { Service } from '../../service/service.ts';
import { type ProvenBlock, proveBlocks } from '../../settlement/repair.ts';
import { provenAuthorizations } from '../../settlement/shown.ts';
import { insertRecovered, type RecoveredPayment } from '../../settlement/tables/recovered.ts';
import { authorizationsWithoutTransfer } from '../../settlement/tables/unknown-authorizations.ts';
import { transitionRequests } from '../../settlement/transition-requests.ts';
import { asTransfers, type LostPayment, paymentsIn, readPayment, reorganised } from './find-lost.ts';

/** What was found on the chain. */
export type FoundPayments = {
  readonly accounts: number;
  readonly payments: number;
  readonly quarters: bigint;
  /** Payments to addresses that are not ours. */
  readonly toOthers: number;
};

const NOTHING: FoundPayments = { accounts: 0, payments: 0, quarters: 0n, toOthers: 0 };

/** Postings of one page, and blocks of one transaction. */
const PAGE = 5_000;
const BLOCKS_AT_ONCE = 20;

/**
 * Finds the payments of our accounts that the ledger has and the transfers have not, in the blocks from one to another, and stores them as
 * completed transfers, with the accounts that they paid. An account that is found may have paid itself, so each page is read until nothing
 * new is found. Each step is one transaction, and doing it again changes nothing.
 */
export async function recoverPayments(
  service: Service,
  first: bigint,
  last: bigint,
  report: (done: number, total: number) => void,
): Promise<FoundPayments> {
  let sum = NOTHING;
  const movedAfter = await blockOfUnknownSweep(service.db);
  for (let after = first - 1n; after < last; ) {
    const end = await service.db.transaction((tx) => endOfPostingPage(tx, after, PAGE));
    const upTo = end === null || end > last ? last : end;
    for (let found = NOTHING; ; ) {
      found = await recoverPage(service, after, upTo, movedAfter);
      sum = addFound(sum, found);
      if (found.accounts === 0) break;
    }
    after = upTo;
    report(Number(after - first + 1n), Number(last - first + 1n));
  }
  return sum;
}

async function recoverPage(
  service: Service,
  after: bigint,
  upTo: bigint,
  movedAfter: bigint | null,
): Promise<FoundPayments> {
  const numbers = await service.db.transaction((tx) => blocksOfUnknownPayments(tx, after, upTo, movedAfter));
  let sum = NOTHING;
  for (let i = 0; i < numbers.length; i += BLOCKS_AT_ONCE) {
    const blocks = await Promise.all(
      numbers.slice(i, i + BLOCKS_AT_ONCE).map((number) => postedBlock(service, number)),
    );
    sum = addFound(sum, await recoverBlocks(service, await proveBlocks(service, blocks)));
  }
  return sum;
}

/** The block as the ledger has it. */
async function postedBlock({ db }: Service, number: bigint): Promise<Pick<PostedBlock, 'number' | 'hash'>> {
  const [posting] = await readPostingsOf(db, number);
  if (!posting) throw reorganised();
  return { number, hash: posting.blockHash };
}

async function recoverBlocks(service: Service, blocks: readonly ProvenBlock[]): Promise<FoundPayments> {
  const { db } = service;
  const { address: treasury } = await findTreasury(db);
  const shown = blocks.flatMap(({ number, at, logs }) =>
    paymentsIn({ logs }).map((paid): LostPayment => ({ ...paid, ...readPayment(service, treasury, paid), number, at })),
  );
  const unknown = await unknownPayments(service, shown);
  const ours = await oursAmong(db, [...new Set(shown.map(({ to }) => to))]);
  // What others paid too: a sweep moves quarters from addresses that nothing here knows, and names whom it pays.
  const keys = new Map<Address, RecoveredAccount>();
  for (const { to: address, recipient: keyId, at } of shown) {
    if (keyId && !ours.has(address) && !keys.has(address)) keys.set(address, { address, keyId, at });
  }
  const transfers = await asTransfers(service, unknown);
  const accounts = await db.transaction(async (tx) => {
    await requireSame(tx, blocks);
    const opened = await recoverAccounts(tx, [...keys.values()]);
    await insertRecovered(
      tx,
      transfers,
      unknown.map((payment, i) => ({
        ...{ what: payment.what, transferId: transfers[i]!.id, decidedAt: payment.at },
        parties: partiesOf(payment),
      })),
    );
    await recoverWithdrawals(
      tx,
      transfers.filter(({ to }) => !ours.has(to) && !keys.has(to)),
    );
    return opened;
  });
  return {
    accounts,
    payments: transfers.length,
    quarters: transfers.reduce((all, { amount }) => all + amount, 0n),
    toOthers: unknown.filter(({ to }) => !ours.has(to) && !keys.has(to)).length,
  };
}

/** The accounts of the player and the app of a payment that has a request. */
function partiesOf({ name, payer, to, onBehalfOf }: LostPayment): RecoveredPayment['parties'] {
  if (!name || name.part === 'transfer') return null;
  return [name.part === 'reward' ? (onBehalfOf ?? to) : payer, to];
}

/** Those that accounts of ours made and no transfer knows. */
async function unknownPayments({ db }: Service, shown: readonly LostPayment[]): Promise<LostPayment[]> {
  const authorized = shown.map((payment) => ({ ...payment, authorizer: payment.payer, block: payment.number }));
  return authorizationsWithoutTransfer(db, await authorizationsOfOurs(db, authorized), async () => MAX_BLOCK);
}

/** Blocks are named one by one, so none is above. */
const MAX_BLOCK = 2n ** 63n - 1n;

/** Until the transaction ends, no reorganisation takes these blocks out of the ledger. */
async function requireSame(tx: Tx, blocks: readonly ProvenBlock[]): Promise<void> {
  await waitForFollowing(tx);
  for (const { number, hash } of blocks) {
    if ((await readPostingsOf(tx, number))[0]?.blockHash !== hash) throw reorganised();
  }
}

export function addFound(a: FoundPayments, b: FoundPayments): FoundPayments {
  return {
    accounts: a.accounts + b.accounts,
    payments: a.payments + b.payments,
    quarters: a.quarters + b.quarters,
    toOthers: a.toOthers + b.toOthers,
  };
}

/** Finds the authorizations of our accounts that were cancelled and no transfer knows: nothing may be named as they are. Returns how many. */
export async function recoverCancellations(service: Service, first: bigint, last: bigint): Promise<number> {
  const { db, rpc, chain, vault } = service;
  let count = 0;
  for await (const shown of readShownAuthorizations(rpc, chain.contracts.token, first, last, { kinds: ['canceled'] })) {
    const ours = await authorizationsOfOurs(db, shown);
    const unknown = await authorizationsWithoutTransfer(db, ours, async () => MAX_BLOCK);
    if (unknown.length === 0) continue;
    const cancelled = (await provenAuthorizations(service, unknown)).map(({ authorizer, nonce, at }) => {
      const { what } = readNonceOfPayment(vault.seed, authorizer, nonce);
      return { what, transferId: null, decidedAt: at, parties: null };
    });
    const requests = cancelled.map(({ what }) => readWhat(vault.seed, what).id as RequestId);
    await db.transaction(async (tx) => {
      await insertRecovered(tx, [], cancelled);
      // They could not be paid any more.
      await transitionRequests(tx, requests, 'cancel', 'operator');
    });
    count += cancelled.length;
  }
  return count;
}
