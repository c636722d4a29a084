import { toChecksum } from '../../base/address.ts';
import { inTime } from '../../base/in-time.ts';
import { formatEthers } from '../../base/quarters.ts';
import { listActiveRelayers, type Relayer, readNextNonces } from '../../chain/relayers.ts';
import { readBalanceWei, readCosts } from '../../chain/state.ts';
import type { Service } from '../../service/service.ts';
import { gasState } from '../../settlement/gas.ts';
import { readMarks } from '../../settlement/tables/nonces.ts';
import { type RelayerPace, readPace } from '../../settlement/tables/transaction-attempts.ts';
import { type Finding, good, type HealthFact, worstState } from '../findings/finding.ts';
import { NODE_LIMIT_MS } from './chain-checks.ts';

const DAY_MS = 86_400_000;
/** The pace is that of the last day, or of this many transactions if it had more. */
const MOST_COUNTED = 2_000;
const RUNBOOK = 'docs/operate/runbook.md';

const JUDGED = { ok: 'good', low: 'warning', empty: 'bad' } as const;

/** What is known of one relayer. `daysLeft`: how long its ether lasts at the pace of the last day; null: unknown or for ever. */
type Fuel = {
  readonly relayer: Relayer;
  readonly state: 'good' | 'warning' | 'bad';
  readonly wei: bigint;
  readonly nextNonce: bigint;
  readonly inFlight: bigint;
  readonly daysLeft: number | null;
};

/** What the relayers' ether is judged by: a transaction may cost at most these fees. */
type Payers = Pick<Service, 'db' | 'rpc' | 'settings'> & Parameters<typeof gasState>[1];

/** Whether the relayers have ether for gas, and for how long. */
export async function checkRelayers(service: Payers): Promise<Finding> {
  const relayers = await listActiveRelayers(service.db);
  const fuels = await inTime(Promise.all(relayers.map((relayer) => readFuel(service, relayer))), NODE_LIMIT_MS);
  if (!fuels) return { state: 'unknown', says: 'The relayers’ ether is unknown: no node answers.' };
  const facts = fuels.map(factOf);
  const state = worstState(fuels.map((fuel) => fuel.state));
  if (state === 'good') return good('The relayers have ether for gas.', facts);
  const short = fuels.filter((fuel) => fuel.state !== 'good').map(({ relayer }) => toChecksum(relayer.address));
  return {
    state,
    says:
      state === 'bad'
        ? 'A relayer cannot pay for a transaction. Its transfers wait for ether.'
        : `A relayer has ether for fewer than ${service.settings.lowGasTransactions} transactions.`,
    facts,
    remedy: {
      says: `Send ether to ${short.length === 1 ? 'this account' : 'these accounts'}.`,
      addresses: short,
      docs: `${RUNBOOK}#${state === 'bad' ? 'quartersgasempty' : 'quartersgaslow'}`,
    },
  };
}

async function readFuel(service: Payers, relayer: Relayer): Promise<Fuel> {
  const { db, rpc } = service;
  const { address } = relayer;
  const [wei, next, marks, pace] = await Promise.all([
    readBalanceWei(rpc, address),
    readNextNonces(db),
    readMarks(db, [address]),
    readPace(db, address, MOST_COUNTED),
  ]);
  const nextNonce = next.get(address)!;
  const { consumed } = marks.get(address)!;
  return {
    ...{ relayer, wei, nextNonce, state: JUDGED[gasState(wei, service)] },
    inFlight: nextNonce > consumed ? nextNonce - consumed : 0n,
    daysLeft: daysFor(wei, pace, await meanCost(service, pace)),
  };
}

/** What a transaction of the last day has cost on average, in wei; null if none is known. */
async function meanCost({ rpc }: Payers, { mined }: RelayerPace): Promise<bigint | null> {
  const costs = (await readCosts(rpc, mined)).flatMap((cost) => cost?.feePaid ?? []);
  return costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0n) / BigInt(costs.length);
}

function daysFor(wei: bigint, { count, since }: RelayerPace, cost: bigint | null): number | null {
  if (!cost || !since) return null;
  const days = count < MOST_COUNTED ? 1 : Math.max((Date.now() - since.getTime()) / DAY_MS, 1 / DAY_MS);
  return Number(wei) / ((Number(cost) * count) / days);
}

function factOf({ relayer, wei, nextNonce, inFlight, daysLeft }: Fuel): HealthFact {
  const lasts =
    daysLeft === null ? 'nothing sent in the last day' : `lasts ${spokenDays(daysLeft)} at the pace of the last day`;
  return {
    name: relayer.purpose === 'settlement' ? 'Relayer' : 'Relayer of the operator',
    value: `${formatEthers(wei)} ether, ${lasts}; next nonce ${nextNonce}, ${inFlight} in flight`,
    about: { kind: 'address', id: relayer.address, label: toChecksum(relayer.address) },
  };
}

/** `12 days`, `5 hours`. */
export function spokenDays(days: number): string {
  if (days > 3_650) return 'more than ten years';
  if (days >= 2) return `${Math.floor(days)} days`;
  return `${Math.max(Math.floor(days * 24), 0)} hours`;
}
