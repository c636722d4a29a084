import type { Settings } from '../config/settings.ts';
import { databaseFault } from '../db/reachable.ts';
import type { Log, Service } from '../usecases/service.ts';
import { openService } from '../usecases/system/open-service.ts';
import { readRunning } from './running-file.ts';

/** Opens the service's parts for one command, beside a running service or on a given database and chain. */
export async function connect(settings: Settings, log: Log): Promise<{ service: Service; close(): Promise<void> }> {
  const running = await readRunning(settings.dataDir);
  const databaseUrl = settings.databaseUrl ?? running?.databaseUrl;
  const rpcUrls = settings.chainRpcUrls.length > 0 ? settings.chainRpcUrls : (running?.rpcUrls ?? []);
  if (!databaseUrl || rpcUrls.length === 0) throw notRunning(settings);
  const fault = await databaseFault(databaseUrl);
  if (fault) throw settings.databaseUrl ? new Error(`DATABASE_URL: ${fault}.`) : notRunning(settings);
  const publicUrl = settings.publicUrl ?? running?.publicUrl ?? `http://localhost:${settings.port}`;
  return openService(settings, { databaseUrl, rpcUrls, publicUrl }, log, null);
}

function notRunning({ dataDir }: Settings): Error {
  return new Error(`No service is running on ${dataDir}: start it (npm start), or set DATABASE_URL and CHAIN_RPC_URL.`);
}
