import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { asAddress } from '../../../src/base/address.ts';
import type { RequestId, TransferId } from '../../../src/base/ids.ts';
import { listRelayers } from '../../../src/chain/relayers.ts';
import { connectRpc } from '../../../src/chain/rpc.ts';
import { approveOrDecline } from '../../../src/features/approvals/approve-or-decline.ts';
import { issueFormToken } from '../../../src/features/approvals/page-access.ts';
import type { NewGuest } from '../../../src/features/guests/create-guest.ts';
import { payUser } from '../../../src/features/payments/pay-user.ts';
import { createRequest } from '../../../src/features/requests/create-request.ts';
import type { House } from '../../../src/service/house.ts';
import type { Log, LogEntry } from '../../../src/service/service.ts';
import { consumedBelow } from '../../../src/settlement/tables/nonces.ts';
import { attemptsFor, type TransactionAttempt } from '../../../src/settlement/tables/transaction-attempts.ts';
import { findTransfers, findTransfersOfRequests } from '../../../src/settlement/tables/transfers.ts';
import { statesOf } from '../../rows/transitions.ts';
import { atEnd } from '../unit/at-end.ts';
import { asApp, asUser } from '../unit/callers.ts';
import { until } from '../unit/until.ts';
import { type FaultyChain, startFaultyChain } from './chain-faults.ts';
import type { Evm } from './evm.ts';
import { proveExactlyOnce } from './exactly-once.ts';
import { watchHolds } from './hold-watch.ts';
import { startTestService, type TestApp, type TestService } from './service.ts';
import { isSettled } from './settled.ts';
import { findSnapshot } from './snapshot.ts';

export type Accepted = { readonly transferId: TransferId; readonly requestId: RequestId; readonly txHash: string };
export type LogLine = { readonly level: 'info' | 'warn' | 'error'; readonly entry: LogEntry; readonly message: string };

/** A service with a chain that fails on demand, an app with 100,000 quarters and a few guests. */
export type Scenario = TestService & {
  readonly faulty: FaultyChain;
  readonly game: TestApp;
  /** Tests may add more. */
  readonly guests: NewGuest[];
  /** What the service has logged. */
  readonly logged: readonly LogLine[];
  /** The game pays a guest. */
  pay(guest: number, amount: number): Promise<Accepted>;
  /** The game, or another app, asks a guest for quarters, who approves on the page. */
  spend(guest: number, amount: number, app?: TestApp): Promise<Accepted>;
  /** The states that callers have seen its request in. */
  movesOf(accepted: Accepted): Promise<string[]>;
  /** The hash that callers get now. */
  txHashOf(accepted: Accepted): Promise<string>;
  /** Every transaction that has carried it: attempts at one nonce, and new nonces. */
  attemptsOf(accepted: Accepted): Promise<TransactionAttempt[]>;
  /** Resolves when the transfer is completed in a block that the ledger has; does not ask the chain. */
  completed(...accepted: Accepted[]): Promise<void>;
  /** Resolves when nothing is on its way and the ledger is at the chain's head. */
  calm(): Promise<void>;
  /**
   * The end of every test here: the network works, blocks are mined, nothing is on its way. Then every accepted
   * transfer is on the chain exactly once and no refused one is, the ledger equals the chain, and holds equalled the
   * transfers on their way at every moment. `outside`: transfers of quarters that strangers made themselves.
   */
  prove(options?: { outside?: number; cancelled?: readonly TransferId[] }): Promise<void>;
};

export async function startScenario(
  t: TestContext,
  options: {
    env?: Record<string, string>;
    house?: House;
    seed?: number;
    guests?: number;
    node?: Evm;
    /** Sets how the chain is, before the service starts. */
    onChain?: (chain: FaultyChain) => void;
    emptyBlocks?: boolean;
    rpcUrls?: readonly string[];
    /** How many endpoints lead to the node, by default one. */
    endpoints?: number;
  } = {},
): Promise<Scenario> {
  const snapshot = options.node ? null : findSnapshot(options.env);
  const faulty = await startFaultyChain(t, { ...options, state: snapshot?.chainState });
  options.onChain?.(faulty);
  const logged: LogLine[] = [];
  const s = await startTestService(t, {
    ...(options.env && { env: options.env }),
    ...(options.house && { house: options.house }),
    log: spy(logged),
    chain: {
      evm: faulty.evm,
      rpcUrls: options.rpcUrls ?? Array.from({ length: options.endpoints ?? 1 }, () => faulty.proxy.url),
      snapshot,
    },
  });
  const game = await s.createApp();
  await s.issue(game.id, 100_000);
  const guests = await Promise.all(Array.from({ length: options.guests ?? 3 }, () => s.createGuest(game)));
  const holds = watchHolds(s.service);
  atEnd(t, () => holds.stop());
  const accepted: Accepted[] = [];
  const note = (decided: Accepted) => {
    accepted.push(decided);
    return decided;
  };

  const scenario: Scenario = {
    ...s,
    faulty,
    game,
    guests,
    logged,
    async pay(guest, amount) {
      const payment = { from: asAddress(game.address), amount, user: guests[guest]!.userId };
      const { transferId, requestId, txHash } = await payUser(s.service, asApp(game.id), payment);
      return note({ transferId, requestId: requestId!, txHash });
    },
    async spend(guest, amount, app = game) {
      const { userId, pageToken } = guests[guest]!;
      const caller = asUser(userId, app.id);
      const { id: requestId } = await createRequest(s.service, caller, { tokens: amount, appId: app.id });
      const formToken = issueFormToken(s.service, requestId, pageToken);
      const choice = { requestId, formToken, decision: 'approve', nextTime: null, session: null } as const;
      await approveOrDecline(s.service, choice);
      const [transfer] = await findTransfersOfRequests(s.service.db, [requestId]);
      return note({ transferId: transfer!.id, requestId, txHash: transfer!.txHash });
    },
    movesOf: ({ requestId }) => statesOf(s.service.db, requestId),
    txHashOf: async ({ transferId }) => (await findTransfers(s.service.db, [transferId]))[0]!.txHash,
    attemptsOf: ({ transferId }) => attemptsFor(s.service.db, transferId),
    completed: (...waited) =>
      until(
        'transfers completed',
        async () => {
          const rows = await s.service.db.query<{ status: string }>(
            'SELECT status FROM transfers WHERE id = ANY($1::uuid[])',
            [waited.map(({ transferId }) => transferId)],
          );
          return rows.every(({ status }) => status === 'completed');
        },
        () => whatIsOpen(scenario),
      ),
    calm: () =>
      until(
        'nothing is on its way',
        () => isSettled(s.service, connectRpc([faulty.evm.url])),
        () => whatIsOpen(scenario),
      ),
    async prove(options = {}) {
      faulty.proxy.heal();
      faulty.startMining();
      await scenario.calm();
      assert.ok((await holds.stop()) > 0, 'the holds were checked');
      await proveExactlyOnce(scenario, accepted, options);
    },
  };
  return scenario;
}

/** For the message of a failing test: what is on its way, with its payer's balance and its transactions. */
async function whatIsOpen({ service, logged }: Scenario): Promise<string> {
  const open = await service.db.query<Record<string, unknown>>(
    `SELECT transfers.id, status, transfers.from_address, amount, cancelling, posted, held,
            (SELECT string_agg(concat_ws(' ', left(carrier.relayer, 8), nonce, attempt, mined_block), ', ')
               FROM transactions AS carrier WHERE transfers.id = ANY(payload)) AS carried_by
       FROM open_transfers JOIN transfers ON id = transfer_id JOIN accounts ON address = transfers.from_address`,
  );
  const transactions = await service.db.query<Record<string, unknown>>(
    `SELECT relayer, nonce, attempt, next_nonce, sent_below FROM transactions JOIN relayers ON address = relayer
       LEFT JOIN (SELECT relayer, max(below) AS sent_below FROM broadcasts GROUP BY relayer) AS sent USING (relayer)
      WHERE nonce >= ${consumedBelow('relayer')} ORDER BY relayer, nonce LIMIT 20`,
  );
  const lines = logged
    .slice(-5)
    .map(({ message, entry }) => ({ message, ...entry, reason: entry.reason ?? String(entry.err) }));
  return [...open, ...transactions, ...lines].map((row) => Object.values(row).join(' ')).join('\n');
}

/** The address of the first relayer that carries payments. */
export async function relayerOf({ service }: Scenario): Promise<string> {
  return (await listRelayers(service.db)).find(({ purpose }) => purpose === 'settlement')!.address;
}

function spy(lines: LogLine[]): Log {
  const level = (name: LogLine['level']) => (entry: LogEntry, message: string) =>
    void lines.push({ level: name, entry, message });
  return { info: level('info'), warn: level('warn'), error: level('error') };
}
