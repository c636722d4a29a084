import { type FastifyInstance, type FastifyRequest, fastify } from 'fastify';
import { Problem } from '../base/problems.ts';
import type { ReplicaState } from '../db/reads.ts';
import { type Figures, readFigures } from '../diagnostics/audit/read-figures.ts';
import type { Service } from '../service/service.ts';
import type { Family } from './additions.ts';
import { connectionOptions } from './connections.ts';
import { sharedCheck } from './health.ts';
import { endpointFamilies, type HistogramFamily, processVersions, relayerEther } from './meter-families.ts';
import { refuseOtherMethods } from './methods.ts';
import { problemHandler } from './problems.ts';
import { type Counting, countedBy, type ProcessCounts } from './process-counts.ts';

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
 * get it (`METRICS`). Whichever worker answers shows what all of them have counted. What database and node say is not added up.
 */
export function metrics(service: Service, counting: Counting = async (own) => own) {
  return async (app: FastifyInstance): Promise<void> => {
    const who = service.settings.metrics;
    if (who === 'off') return;
    const write = async () => {
      const [figures, counted] = await Promise.all([readFigures(service), counting(countedBy(service))]);
      return textOf(service, figures, counted);
    };
    const writeOrShare = who === 'public' ? sharedCheck(write) : write;
    app.get('/metrics', async (request, reply) => {
      if (who === 'local' && !isLocal(request)) throw new Problem('not-found', 'There is nothing at this address.');
      reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
      const { contentType, text } = await writeOrShare();
      return reply.type(contentType).send(text);
    });
  };
}

async function textOf(service: Service, figures: Figures, counted: ProcessCounts) {
  // Loaded by the first scrape, so that it does not slow the start.
  const { Counter, Gauge, Registry } = await import('prom-client');
  const registry = new Registry();
  for (const [name, help, value] of gauges(figures, counted, service)) {
    if (value !== undefined) new Gauge({ name: `quarters_${name}`, help, registers: [registry] }).set(value);
  }
  for (const { name, help, labels, values } of [...counted.counters, workersReplaced(counted)]) {
    const counter = new Counter({ name: `quarters_${name}`, help, labelNames: labels, registers: [registry] });
    for (const value of values) counter.inc(value.labels, value.count);
  }
  const labelled = [relayerEther(service), processVersions(figures.versions), ...endpointFamilies(service)];
  for (const { name, help, labels, values } of labelled) {
    const gauge = new Gauge({ name: `quarters_${name}`, help, labelNames: labels, registers: [registry] });
    for (const value of values) gauge.set(value.labels, value.count);
  }
  const text = (await registry.metrics()) + histogramText(counted.completions);
  return { contentType: registry.contentType, text };
}

function isLocal({ headers, socket }: FastifyRequest): boolean {
  return (
    LOOPBACK.test(socket.remoteAddress ?? '') &&
    LOCAL_HOST.test(headers.host ?? '') &&
    !Object.keys(headers).some((name) => OF_PROXIES.test(name))
  );
}

/** A histogram in Prometheus' text format 0.0.4. The library only shows those whose every observation it was given. */
function histogramText({ name, help, buckets, sum }: HistogramFamily): string {
  const metric = `quarters_${name}`;
  const lines = buckets.map(({ le, count }) => `${metric}_bucket{le="${le}"} ${count}`);
  const total = buckets.at(-1)!.count;
  return `\n# HELP ${metric} ${help}\n# TYPE ${metric} histogram\n${lines.join('\n')}\n${metric}_sum ${sum}\n${metric}_count ${total}\n`;
}

/** An unknown value is left out, not shown as 0. */
type GaugeValue = [name: string, help: string, value: number | undefined];

function gauges(
  figures: Figures,
  { relayersHeld, stalled, workers }: ProcessCounts,
  { replica }: Pick<Service, 'replica'>,
): GaugeValue[] {
  const { counts, isWritable, mails, postedBlock, headBlock, lastAudit } = figures;
  const lag = postedBlock === null || headBlock === null ? undefined : headBlock - postedBlock;
  return [
    ['database_up', 'Whether the database answers', counts ? 1 : 0],
    ['database_writable', 'Whether the database takes writes', counts ? Number(isWritable) : undefined],
    ['chain_up', 'Whether a chain node answers', headBlock === null ? 0 : 1],
    [
      'chain_attached',
      'Whether the node was found to be on our chain, with our contracts',
      figures.chainAttached ? 1 : 0,
    ],
    [
      'chain_agreed_blocks',
      'Blocks that did not prove their logs, so that endpoints had to agree',
      figures.agreedBlocks,
    ],
    [
      'payments_suspended',
      'Whether no payment is accepted, because the database is older than the chain or quarters move to new addresses',
      figures.suspended ? 1 : 0,
    ],
    ['loops_failing', 'Parts of the background work that have failed for ten seconds or more', figures.failingLoops],
    ['payments_stalled', 'Whether the database has not committed a payment for ten seconds', stalled > 0 ? 1 : 0],
    ...ofReplica(replica()),
    ...onTheirWay(figures),
    ['mails_waiting', 'Mails that wait to be sent, counted up to 10,000', mails?.waiting],
    [
      'oldest_mail_seconds',
      'Age of the oldest mail that waits; 0 if there is none',
      mails ? ageSeconds(mails.oldest) : undefined,
    ],
    [
      'mails_refused',
      'Mails that the mail server has refused for good since it last accepted one',
      figures.refusedMails ?? undefined,
    ],
    ['open_reports', 'Problems that players have reported and nobody has resolved', figures.openReports ?? undefined],
    [
      'backlog_limit',
      'With so many signed, unmined transactions more transfers are refused; at most MAX_BACKLOG',
      figures.backlogLimit,
    ],
    ['gas_low', 'Whether a relayer has little ether or none', gasFlag(figures, ['low', 'empty'])],
    ['gas_empty', 'Whether a relayer cannot pay for a transaction', gasFlag(figures, ['empty'])],
    ['backlog', 'Signed, unmined transactions that admission is limited by', figures.backlog],
    ['relayers_held', 'Relayers this service sends for, with all its workers', relayersHeld],
    ['workers', 'Workers of this service that are up; 1 if it is one process', workers],
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

function ofReplica(replica: ReplicaState | null): GaugeValue[] {
  const lag = replica?.lagMs ?? null;
  return [
    [
      'replica_in_use',
      'Whether what is only shown is read from the replica (DATABASE_READ_URL)',
      replica ? Number(replica.isInUse) : undefined,
    ],
    [
      'replica_lag_seconds',
      'How long the replica needs for what the primary has committed, as last seen',
      lag === null ? undefined : lag / 1000,
    ],
  ];
}

/** The gauges of what is not settled yet. */
function onTheirWay({ counts, open, completing }: Figures): GaugeValue[] {
  return [
    ['transfers_approved', 'Transfers decided and not yet at a node', counts?.approved],
    ['transfers_submitted', 'Transfers at a node and not yet in a counted block', counts?.submitted],
    ['transfers_held_quarters', 'Quarters held for transfers on their way', open ? Number(open.quarters) : undefined],
    [
      'oldest_open_transfer_seconds',
      'Age of the oldest transfer on its way; 0 if there is none',
      open ? ageSeconds(open.oldestAt) : undefined,
    ],
    [
      'nothing_completed_seconds',
      'For how long no transfer has completed while one waited that no later one has overtaken; 0 if none waits',
      completing ? completing.waitedMs / 1000 : undefined,
    ],
    [
      'usual_completion_seconds',
      'What the faster quarter of the newest transfers took to complete; an estimate before the first',
      completing ? completing.usualMs / 1000 : undefined,
    ],
    ['transactions_signed', 'Transactions stored and not yet at a node', counts?.signed],
    ['transactions_sent', 'Transactions at a node and not yet in a counted block', counts?.sent],
  ];
}

function workersReplaced({ replaced }: ProcessCounts): Family {
  const help = 'Workers that have ended by themselves and were replaced';
  return { name: 'workers_replaced_total', help, labels: [], values: [{ labels: {}, count: replaced }] };
}

function gasFlag({ gas }: Figures, states: readonly Figures['gas'][]): number | undefined {
  if (gas === 'unknown') return undefined;
  return states.includes(gas) ? 1 : 0;
}

function ageSeconds(since: Date | null): number {
  return since ? Math.max(0, (Date.now() - since.getTime()) / 1000) : 0;
}

/** Serves only `/metrics`, on a port that players and games cannot reach (`METRICS_PORT`). */
export async function createMetricsServer(service: Service, counting?: Counting): Promise<FastifyInstance> {
  const app = fastify({ ...connectionOptions(service.publicUrl), return503OnClosing: false });
  app.setErrorHandler(problemHandler(service));
  refuseOtherMethods(app);
  await app.register(metrics(service, counting));
  return app;
}
