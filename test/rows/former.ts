import type { TransferId } from '../../src/base/ids.ts';
import { formerNonce } from '../../src/chain/token.ts';
import type { Database } from '../../src/db/database.ts';
import { insertRows } from './statements.ts';

export const APP = 'A'.repeat(20);
export const USER = 'U'.repeat(28);
export const [PAYER, PAYEE] = [`0x${'11'.repeat(20)}`, `0x${'22'.repeat(20)}`];
/** Relayers, and somebody else's transaction. */
export const [A, B, C, OPERATOR] = ['aa', 'bb', 'cc', 'dd'].map((byte) => `0x${byte.repeat(20)}`) as [
  ...[string, string, string, string],
];
export const STRANGERS = `0x${'99'.repeat(32)}`;
export const NAMES = new Map([A, B, C, OPERATOR].map((address, i) => [address, ['A', 'B', 'C', 'OP'][i]!]));

export const idOf = (number: number) => `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`;
export const hashOf = (relayer: string, nonce: number, attempt = 0) =>
  `${relayer.slice(0, 4)}${String(nonce).padStart(2, '0')}${String(attempt).padStart(2, '0')}${'0'.repeat(58)}`;
export const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second));
export const SENT_AT = at(50);

type Transaction = readonly [
  ...[relayer: string, nonce: number, attempt: number],
  ...[status: string, minedBlock: number | null, carried: readonly number[]],
];
export const TRANSACTIONS: readonly Transaction[] = [
  [OPERATOR, 0, 0, 'mined', 80, []],
  [OPERATOR, 1, 0, 'mined', 80, []],
  [OPERATOR, 2, 0, 'mined', 91, [15]],
  [A, 0, 0, 'mined', 91, [1]],
  // Two packed.
  [A, 1, 0, 'mined', 95, [2, 3]],
  // The older of two attempts was mined.
  [A, 2, 0, 'mined', 96, [4]],
  [A, 2, 1, 'replaced', null, []],
  // Another transaction used this nonce, and the next one pays.
  [A, 3, 0, 'replaced', null, [5]],
  [A, 4, 0, 'mined', 97, [5]],
  // Reverted.
  [A, 5, 0, 'mined', 98, [6, 10, 11]],
  [A, 6, 0, 'mined', 98, [7]],
  [A, 7, 0, 'mined', 99, [9]],
  [OPERATOR, 3, 0, 'mined', 99, [9]],
  // Open.
  [A, 8, 0, 'sent', null, [8]],
  [OPERATOR, 4, 0, 'signed', null, [8]],
  [A, 9, 0, 'sent', null, [13]],
  [A, 9, 1, 'signed', null, []],
  // The node refused it, and took the next.
  [A, 10, 0, 'signed', null, [12]],
  [A, 11, 0, 'sent', null, [14]],
  [A, 12, 0, 'signed', null, [16]],
  [B, 0, 0, 'mined', 99, [10]],
  [B, 1, 0, 'sent', null, [11]],
  [B, 2, 0, 'sent', null, [7]],
  [B, 3, 0, 'signed', null, [6]],
];

type Transfer = readonly [id: number, status: string, txHash: string, decidedBlock: number | null];
export const TRANSFERS: readonly Transfer[] = [
  [1, 'completed', hashOf(A, 0), 91],
  [2, 'completed', hashOf(A, 1), 95],
  [3, 'completed', hashOf(A, 1), 95],
  [4, 'completed', hashOf(A, 2, 0), 96],
  [5, 'completed', hashOf(A, 4), 97],
  [6, 'submitted', hashOf(B, 3), null],
  [7, 'completed', STRANGERS, 99],
  [8, 'submitted', hashOf(A, 8), null],
  [9, 'failed', hashOf(OPERATOR, 3), 99],
  [10, 'completed', hashOf(B, 0), 99],
  [11, 'submitted', hashOf(B, 1), null],
  [12, 'approved', hashOf(A, 10), null],
  [13, 'submitted', hashOf(A, 9, 1), null],
  [14, 'submitted', hashOf(A, 11), null],
  [15, 'completed', hashOf(OPERATOR, 2), 91],
  [16, 'approved', hashOf(A, 12), null],
];

/** The request of each transfer. One has two, and what the operator issued has none. */
export const requestOf = (transfer: number) => (transfer === 15 ? null : 100 + (transfer === 11 ? 10 : transfer));
const WITHOUT_TRANSFER = { 201: 'pending', 202: 'pending', 203: 'expired', 204: 'declined' } as const;

const LATER: Readonly<Record<string, readonly string[]>> = {
  pending: [],
  expired: ['expire clock'],
  declined: [`decline user:${USER}`],
  approved: [],
  submitted: ['submit chain'],
  completed: ['submit chain', 'complete chain'],
  failed: ['submit chain', 'fail chain'],
};

export function transitionsOf(number: number, status: string): string[] {
  const approved = number === 110 ? [`approve user:${USER}`] : [];
  const again = number === 101 ? ['reorg chain', 'complete chain'] : [];
  return [`create app:${APP}`, ...approved, ...LATER[status]!, ...again];
}

/** Requests by number, with their status. */
export const REQUESTS = new Map<number, string>([
  ...TRANSFERS.flatMap(([id, status]) => (requestOf(id) === null ? [] : [[requestOf(id)!, status] as const])),
  ...Object.entries(WITHOUT_TRANSFER).map(([number, status]) => [Number(number), status] as const),
]);

/** Fills the tables of migration 0011 with a row of each kind. */
export async function fillFormerRows(db: Database): Promise<void> {
  await insertRows(db, 'apps', [{ id: APP, name: 'Game' }]);
  await insertRows(db, 'users', [{ id: USER, kind: 'guest', displayName: 'Guest', guestOf: APP }]);
  await insertRows(
    db,
    'blocks',
    Array.from({ length: 11 }, (_, i) => {
      return {
        number: 90 + i,
        hash: `block ${90 + i}`,
        parentHash: `block ${89 + i}`,
        nextLogIndex: 0,
        complete: true,
      };
    }),
  );
  const relayers = [
    { address: A, purpose: 'settlement', nextNonce: 13 },
    { address: B, purpose: 'settlement', nextNonce: 4 },
    { address: C, purpose: 'settlement', nextNonce: 0 },
    { address: OPERATOR, purpose: 'operator', nextNonce: 5 },
  ];
  await insertRows(
    db,
    'relayers',
    relayers.map((relayer) => ({
      ...{ ...relayer, sealedKey: new Uint8Array(1), leaseEpoch: 1 },
      ...{ leaseExpiresAt: at(0), createdAt: at(0) },
    })),
  );
  await fillRequests(db);
  await insertRows(
    db,
    'transfers',
    TRANSFERS.map(([number, status, txHash, decidedBlock]) => ({
      ...{ id: idOf(number), requestId: requestOf(number) && idOf(requestOf(number)!), status, txHash, decidedBlock },
      ...{
        fromAddress: PAYER,
        toAddress: PAYEE,
        amount: number,
        cancelling: [8, 9].includes(number),
        createdAt: at(number),
      },
      authorizationNonce: formerNonce(idOf(number) as TransferId),
      authorizationSignature: new Uint8Array(65),
    })),
  );
  await insertRows(
    db,
    'transactions',
    TRANSACTIONS.map(([relayer, nonce, attempt, status, minedBlock], i) => ({
      ...{ hash: hashOf(relayer, nonce, attempt), relayer, nonce, attempt, status, minedBlock },
      ...{ raw: Uint8Array.of(i), createdAt: at(i), sentAt: status === 'signed' ? null : SENT_AT },
    })),
  );
  await insertRows(
    db,
    'cargo',
    TRANSACTIONS.flatMap(([relayer, nonce, , , , carried]) =>
      carried.map((transfer) => ({
        ...{ relayer, nonce, transferId: idOf(transfer) },
        kind: relayer === OPERATOR && transfer !== 15 ? 'cancel' : 'pay',
      })),
    ),
  );
  await insertRows(db, 'rewards', [
    { id: idOf(1), userId: USER, amount: 11, grantedAt: at(0), source: 'operator', key: 'k', claimed: 11 },
  ]);
  await insertRows(db, 'reward_claims', [{ transferId: idOf(11), rewardId: idOf(1), amount: 11 }]);
  const posting = { fromAddress: PAYER, toAddress: PAYEE, amount: 1, postedAt: at(1) };
  await insertRows(db, 'postings', [
    {
      ...posting,
      blockHash: `0x${'0a'.repeat(32)}`,
      blockNumber: 91,
      logIndex: 3,
      txHash: hashOf(A, 0),
      outsideBlock: null,
    },
    {
      ...posting,
      blockHash: `0x${'0b'.repeat(32)}`,
      blockNumber: 99,
      logIndex: 0,
      txHash: STRANGERS,
      outsideBlock: 99,
    },
  ]);
  const data = { id: idOf(101), status: 'completed' };
  await insertRows(db, 'events', [
    { id: idOf(1), appId: APP, type: 'transfer.completed', sequence: 1, data, position: 1, createdAt: at(1) },
  ]);
}

async function fillRequests(db: Database): Promise<void> {
  await insertRows(
    db,
    'requests',
    [...REQUESTS].map(([number, status]) => ({
      ...{ id: idOf(number), appId: APP, userId: USER, fromAddress: PAYER, toAddress: PAYEE, amount: number, status },
      ...{ source: number === 103 ? 'refund' : number >= 110 ? 'user' : 'payout', description: `no. ${number}` },
      ...{ refundOf: number === 103 ? idOf(110) : null, sequence: number === 101 ? 3 : 1, createdAt: at(0) },
      expiresAt: number === 201 ? at(59) : at(2),
    })),
  );
  const moves = [...REQUESTS].map(([number, status]) =>
    transitionsOf(number, status).map((text, i) => {
      const [event, actor] = text.split(' ');
      return { requestId: idOf(number), event, actor, toStatus: 'any', at: at(i) };
    }),
  );
  // All requests' first, then all second ones: the order of a request's is that of their ids.
  for (let i = 0; i < 5; i++)
    await insertRows(
      db,
      'request_moves',
      moves.flatMap((own) => own.slice(i, i + 1)),
    );
}

/** A process of that version says that it runs. `milliseconds`: how long ago. */
export async function insertFormerProcess(db: Database, milliseconds: number): Promise<void> {
  await db.query('DELETE FROM processes');
  await insertRows(db, 'processes', [{ id: idOf(1), seenAt: new Date(Date.now() - milliseconds) }]);
}

/** Takes away what says which transaction carries a transfer. Returns a function that brings it back. */
export async function removeCargo(db: Database, transfer: number): Promise<() => Promise<void>> {
  const removed = await db.query<{ relayer: string; nonce: bigint; kind: string }>(
    'DELETE FROM cargo WHERE transfer_id = $1 RETURNING relayer, nonce, kind',
    [idOf(transfer)],
  );
  return () =>
    insertRows(
      db,
      'cargo',
      removed.map((row) => ({ ...row, transferId: idOf(transfer) })),
    );
}
