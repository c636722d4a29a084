import { toChecksum } from '../base/address.ts';
import { COMPLETION_SECONDS } from '../base/meters.ts';
import type { Service } from '../service/service.ts';
import { type EndpointView, listChainEndpoints } from '../settlement/survey-chain-endpoints.ts';
import { COUNTERS, type Family } from './additions.ts';

/** A histogram as Prometheus shows it: how many were at most `le`, cumulated. */
export type HistogramFamily = {
  readonly name: string;
  readonly help: string;
  readonly buckets: readonly { readonly le: string; readonly count: number }[];
  readonly sum: number;
};

const WEI_PER_ETHER = 1e18;

/** What this process has counted since its start. Every name is listed from the start, so that an alarm sees the first event. */
export function counterFamilies(service: Service): Family[] {
  const { security, answers, meters } = service;
  const replica = service.replica();
  const by = <Name extends string, Value>(
    label: string,
    counts: ReadonlyMap<Name, Value>,
    count: (value: Value) => number,
  ) => ({
    labels: [label],
    values: [...counts].map(([name, value]) => ({ labels: { [label]: name }, count: count(value) })),
  });
  const one = (count: number) => ({ labels: [], values: [{ labels: {}, count }] });
  const transfers = ({ count }: { count: number }) => count;
  const quarters = (sum: { quarters: bigint }) => Number(sum.quarters);
  return [
    { name: 'security_events_total', help: 'Security events, by name', ...by('event', security.counts, Number) },
    {
      name: 'http_requests_total',
      help: 'Requests answered, without probes and assets, by part of the service and class of the status',
      labels: ['area', 'status'],
      values: answers.entries().map(({ area, answer, count }) => ({ labels: { area, status: answer }, count })),
    },
    {
      name: 'transfers_accepted_total',
      help: 'Transfers that this process has accepted, by kind',
      ...by('kind', meters.accepted, transfers),
    },
    {
      name: 'accepted_quarters_total',
      help: 'Quarters of the transfers that this process has accepted, by kind',
      ...by('kind', meters.accepted, quarters),
    },
    {
      name: 'transfers_settled_total',
      help: 'Transfers that the chain decided, read by this process; reorged: taken back by a reorganisation',
      ...by('outcome', meters.settled, transfers),
    },
    {
      name: 'settled_quarters_total',
      help: 'Quarters of the transfers that the chain decided, read by this process',
      ...by('outcome', meters.settled, quarters),
    },
    {
      name: 'webhook_deliveries_total',
      help: 'Attempts to deliver a webhook, by result; status: another status than 2xx',
      ...by('result', meters.deliveries, transfers),
    },
    {
      name: 'replica_reads_total',
      help: 'Reads of what is only shown, by the server that answered; without a replica none is counted',
      ...by(
        'server',
        new Map(replica ? [['replica', replica.answered] as const, ['primary', replica.left] as const] : []),
        Number,
      ),
    },
    {
      name: 'gas_spent_ether_total',
      help: 'Ether that the balances of relayers fell by, as this process has read them',
      ...one(Number(meters.weiSpent) / WEI_PER_ETHER),
    },
    ...service.house.of(COUNTERS).map((count) => count(service)),
  ];
}

export function relayerEther({ meters }: Pick<Service, 'meters'>): Family {
  return {
    name: 'relayer_ether',
    help: 'Ether of a relayer, as last read',
    labels: ['relayer'],
    values: [...meters.relayerWei].map(([relayer, wei]) => ({
      labels: { relayer: toChecksum(relayer) },
      count: Number(wei) / WEI_PER_ETHER,
    })),
  };
}

/** The endpoints of the chain as this process last saw them. `host`: without the rest of the address, which may hold a key. */
export function endpointFamilies(service: Parameters<typeof listChainEndpoints>[0]): Family[] {
  const endpoints = listChainEndpoints(service);
  const family = (name: string, help: string, count: (endpoint: EndpointView) => number | null): Family => ({
    name: `chain_endpoint_${name}`,
    help,
    labels: ['endpoint', 'host'],
    values: endpoints.flatMap((endpoint) => {
      const value = count(endpoint);
      const labels = { endpoint: `${endpoint.number}`, host: endpoint.host };
      return value === null ? [] : [{ labels, count: value }];
    }),
  });
  return [
    family('up', 'Whether an endpoint of the chain answers, agrees with the ledger and is not behind', ({ state }) =>
      state === 'ok' ? 1 : 0,
    ),
    family('head', 'The newest block of an endpoint of the chain', ({ head }) => (head === null ? null : Number(head))),
    family('chosen', 'Whether this process reads from this endpoint', ({ isChosen }) => (isChosen ? 1 : 0)),
  ];
}

/** `versions`: that of each live process of the installation; null if the database did not say. */
export function processVersions(versions: readonly string[] | null): Family {
  return {
    name: 'processes',
    help: 'Live processes on this database, by version; all processes show the same',
    labels: ['version'],
    values: [...Map.groupBy(versions ?? [], (version) => version)].map(([version, { length }]) => ({
      labels: { version },
      count: length,
    })),
  };
}

export function completionTimes({ meters }: Pick<Service, 'meters'>): HistogramFamily {
  let count = 0;
  const buckets = meters.completions.map((completed, i) => {
    count += completed;
    return { le: i < COMPLETION_SECONDS.length ? String(COMPLETION_SECONDS[i]) : '+Inf', count };
  });
  return {
    name: 'transfer_completion_seconds',
    help: 'From accepting a transfer to reading in a confirmed block that it is paid',
    buckets,
    sum: meters.completionSeconds,
  };
}
