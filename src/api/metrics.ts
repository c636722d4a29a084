import { type FastifyInstance, type FastifyRequest, fastify } from 'fastify';
import { Problem } from '../base/problems.ts';
import { type Figures, readFigures } from '../features/audit/read-figures.ts';
import type { Service } from '../settlement/service.ts';
import { connectionOptions } from './connections.ts';
import { sharedCheck } from './health.ts';
import { refuseOtherMethods } from './methods.ts';
import { problemHandler } from './problems.ts';

export type CounterFamily = {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly values: readonly { readonly labels: Readonly<Record<string, string>>; readonly count: number }[];
};

/** What this process has counted since its start. Every name is listed from the start, so that an alarm sees the first event. */
function countersOf({ security, answers, calls }: Pick<Service, 'security' | 'answers' | 'calls'>): CounterFamily[] {
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
    {
      name: 'api_log_dropped_total',
      help: "Calls that developers do not see in their app's log: too many in a second, or lost with the database",
      labels: [],
      values: [{ labels: {}, count: calls.dropped }],
    },
  ];
}

/**
 * The name of a header that a proxy, a load balancer or a CDN adds: the caller is then not on this machine. A pattern, because each
 * vendor has its own names. It matches the standard names and their variants (`Forwarded`, `X-Forwarded-*`, `Via`, `CDN-Loop`), names
 * of the caller's address (`X-Real-IP`, `True-Client-IP`, `X-Original-Host`), and names that begin with a vendor's. It does not match
 * tracing headers (`traceparent`, `X-Request-ID`), which a scraper on this machine may send too.
 */
const OF_PROXIES =
  /forwarded|proxy|^(x-)?(via|real|original|originating|client|cluster|remote|true|cdn|cf|cloudfront|fastly|fly|akamai|envoy|appengine|google|goog|gfe|amz|amzn|aws|azure|arr|appgw|fd|vercel|nf|render|railway|heroku|sucuri|incap|bluecoat|varnish|haproxy|nginx|traefik|caddy)(-|$)|(^|-)(client|peer|source|src|user)-?(ip|addr|address)$/i;
const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;
/** A foreign page whose name resolves to this machine (DNS rebinding) sends another Host. */
const LOCAL_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;

/**
 * `GET /metrics` in Prometheus' text format. It reveals how busy the service is, so by default only callers on this machine
 * get it (`METRICS`).
 */
export function metrics(service: Service) {
  return async (app: FastifyInstance): Promise<void> => {
    const who = service.settings.metrics;
    if (who === 'off') return;
    const read = () => readFigures(service);
    const figures = who === 'public' ? sharedCheck(read) : read;
    app.get('/metrics', async (request, reply) => {
      if (who === 'local' && !isLocal(request)) throw new Problem('not-found', 'There is nothing at this address.');
      // Loaded by the first scrape, so that it does not slow the start.
      const { Counter, Gauge, Registry } = await import('prom-client');
      const registry = new Registry();
      for (const [name, help, value] of gauges(await figures())) {
        if (value !== undefined) new Gauge({ name: `quarters_${name}`, help, registers: [registry] }).set(value);
      }
      for (const { name, help, labels, values } of countersOf(service)) {
        const counter = new Counter({ name: `quarters_${name}`, help, labelNames: labels, registers: [registry] });
        for (const value of values) counter.inc(value.labels, value.count);
      }
      reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
      return reply.type(registry.contentType).send(await registry.metrics());
    });
  };
}

function isLocal({ headers, socket }: FastifyRequest): boolean {
  return (
    LOOPBACK.test(socket.remoteAddress ?? '') &&
    LOCAL_HOST.test(headers.host ?? '') &&
    !Object.keys(headers).some((name) => OF_PROXIES.test(name))
  );
}

/** Name, help, value. An unknown value is left out, not shown as 0. */
function gauges(figures: Figures): [name: string, help: string, value: number | undefined][] {
  const { counts, postedBlock, headBlock, lastAudit } = figures;
  const lag = postedBlock === null || headBlock === null ? undefined : headBlock - postedBlock;
  return [
    ['database_up', 'Whether the database answers', counts ? 1 : 0],
    ['chain_up', 'Whether a chain node answers', headBlock === null ? 0 : 1],
    [
      'chain_attached',
      'Whether the node was found to be on our chain, with our contracts',
      figures.chainAttached ? 1 : 0,
    ],
    ['payments_suspended', 'Whether payments wait for `quarters suspension accept`', figures.suspended ? 1 : 0],
    ['transfers_approved', 'Transfers decided and not yet at a node', counts?.approved],
    ['transfers_submitted', 'Transfers at a node and not yet in a counted block', counts?.submitted],
    ['transactions_signed', 'Transactions stored and not yet at a node', counts?.signed],
    ['transactions_sent', 'Transactions at a node and not yet in a counted block', counts?.sent],
    ['open_reports', 'Problems that players have reported and nobody has resolved', figures.openReports ?? undefined],
    ['backlog', 'Signed, unmined transactions that admission is limited by', figures.backlog],
    ['relayers_held', 'Relayers this process sends for', figures.relayersHeld],
    ['posted_block', 'The last block that is in the ledger', postedBlock ?? undefined],
    ['follower_lag_blocks', "How far the ledger is behind the node's newest block", lag],
    ['audit_differences', 'Differences between ledger and chain in the last audit', lastAudit?.differences],
    ['audit_overdrawn_accounts', 'Accounts with less than is set aside', lastAudit?.overdrawn],
    ['audit_duration_seconds', 'How long the last audit took', lastAudit?.seconds],
    [
      'audit_last_success_timestamp_seconds',
      'When an audit last found no difference',
      lastAudit?.equalAt ? lastAudit.equalAt.getTime() / 1000 : undefined,
    ],
  ];
}

/** Serves only `/metrics`, on a port that players and games cannot reach (`METRICS_PORT`). */
export async function createMetricsServer(service: Service): Promise<FastifyInstance> {
  const app = fastify({ ...connectionOptions(service.publicUrl), return503OnClosing: false });
  app.setErrorHandler(problemHandler(service));
  app.setNotFoundHandler(() => {
    throw new Problem('not-found', 'There is nothing at this address.');
  });
  refuseOtherMethods(app);
  await app.register(metrics(service));
  return app;
}
