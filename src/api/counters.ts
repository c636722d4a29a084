import type { Service } from '../settlement/service.ts';

export type Counted = {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly values: readonly { readonly labels: Readonly<Record<string, string>>; readonly count: number }[];
};

/** What this process has counted since its start. Every name is listed from the start, so that an alarm sees the first event. */
export function countersOf({ security, answers }: Pick<Service, 'security' | 'answers'>): Counted[] {
  return [
    {
      name: 'security_events_total',
      help: 'Security events, by name',
      labels: ['event'],
      values: [...security.counts].map(([event, count]) => ({ labels: { event }, count })),
    },
    {
      name: 'http_requests_total',
      help: 'Requests answered, without probes and assets, by part of the service and class of the status',
      labels: ['area', 'status'],
      values: answers.entries().map(({ area, answer, count }) => ({ labels: { area, status: answer }, count })),
    },
  ];
}
