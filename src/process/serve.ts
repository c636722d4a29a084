import { connectRpc } from '../chain/rpc.ts';
import type { Settings } from '../config/settings.ts';
import { writeRecoveryKit } from '../features/custody/write-kit.ts';
import { closeHttp, listen } from '../http/listen.ts';
import { createMetricsServer } from '../http/metrics.ts';
import type { Counting } from '../http/process-counts.ts';
import { startJobs } from '../jobs/jobs.ts';
import { readCursor } from '../ledger/blocks.ts';
import { enterDatabase } from '../membership/membership.ts';
import type { Service } from '../service/service.ts';
import { requireEther } from '../settlement/gas.ts';
import type { Lifetime } from './lifetime.ts';
import type { ListeningPlace } from './listening-place.ts';
import { openService } from './open-service.ts';
import type { EmbeddedChain } from './parts.ts';
import { createSite } from './site.ts';
import type { ShownService } from './start-screen.ts';
import { openTracing } from './tracing.ts';

/**
 * Enters the database and opens a whole service on it: its jobs, its port, and that of `/metrics`. Registers each with `closers`, so
 * that they close in order. It is not marked as started. `counting`: adds what the other workers have counted.
 */
export async function serve(
  given: Settings,
  { log, house, closers, ending }: Omit<Lifetime, 'say'>,
  place: ListeningPlace,
  chain?: EmbeddedChain,
  counting?: Counting,
): Promise<Service> {
  // On a chain of ours ether is free. Elsewhere an account without ether would let payments wait.
  const settings = { ...given, relayers: given.relayers ?? (place.embedded.chain ? given.workers : 1) };
  const tracing = await openTracing(settings);
  // Closed last, so that a trace shows the stop too.
  if (tracing) await closers.opened(tracing.close);
  const membership = await enterDatabase(place.databaseUrl, ending.reach);
  await closers.opened(membership.leave);
  const rpc = connectRpc(place.rpcUrls);
  const ensureGas = chain?.giveEther(rpc) ?? requireEther(rpc, log);
  const { self } = membership;
  const uses = { ...place, house, self, ...(chain && { onSent: chain.onSent }) };
  const { service, drained, close } = await openService(settings, uses, log, ensureGas);
  await closers.opened(close);
  chain?.followedBy?.(async () => (await readCursor(service.db))?.number ?? null);
  const jobs = await startJobs(service, ending.reach);
  await closers.opened(jobs.stop);
  await membership.handOver();
  await closers.opened(drained);

  const http = await openHttp(service, place.port, counting);
  await closers.opened(() => closeHttp(http));
  const metrics = await openMetrics(service, counting);
  if (metrics) await closers.opened(() => closeHttp(metrics));
  return service;
}

/** Writes the recovery kit if it is not kept yet, and says what the start screen shows. */
export async function shownOf(service: Service): Promise<ShownService> {
  const { chainId, contracts } = service.chain;
  return { chainId, contracts, writtenKit: await writeRecoveryKit(service) };
}

async function openHttp(service: Service, port: number, counting?: Counting): ReturnType<typeof createSite> {
  const { host } = service.settings;
  const http = await createSite(service, counting);
  try {
    await listen(http, { host, port, setting: 'PORT' });
    return http;
  } catch (error) {
    await http.close();
    throw error;
  }
}

/** Returns null if `/metrics` has no port of its own. */
async function openMetrics(
  service: Service,
  counting?: Counting,
): Promise<Awaited<ReturnType<typeof createMetricsServer>> | null> {
  const { metrics, metricsPort: port, metricsHost: host } = service.settings;
  if (port === undefined || metrics === 'off') return null;
  const server = await createMetricsServer(service, counting);
  try {
    await listen(server, { host, port, setting: 'METRICS_PORT' });
    return server;
  } catch (error) {
    await server.close();
    throw error;
  }
}
