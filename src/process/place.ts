import { isDevelopment } from '../config/development.ts';
import type { Settings } from '../config/settings.ts';
import { freePort } from '../http/listen.ts';
import type { Running } from './data-folder.ts';
import type { Parts } from './parts.ts';

/** Where a service finds its database and its chain, and where it is found. It can be sent to another process. */
export type ServicePlace = Pick<Parts, 'databaseUrl' | 'rpcUrls' | 'embedded'> & {
  /** The origin that players and games use. */
  readonly publicUrl: string;
  readonly port: number;
};

export async function choosePlace(
  settings: Settings,
  { databaseUrl, rpcUrls, embedded }: Parts,
): Promise<ServicePlace> {
  const port = settings.port === 0 ? await freePort() : settings.port;
  const publicUrl = settings.publicUrl ?? `http://localhost:${port}`;
  return { databaseUrl, rpcUrls, embedded, publicUrl, port };
}

/** What a service is told of its place. */
export function whereaboutsOf(settings: Settings, { databaseUrl, rpcUrls, embedded, publicUrl }: ServicePlace) {
  return { databaseUrl, rpcUrls, publicUrl, development: isDevelopment({ ...settings, embedded, publicUrl }) };
}

/** What commands find in the data folder. */
export function runningAt(settings: Settings, place: ServicePlace): Running {
  const { publicUrl, databaseUrl, rpcUrls, development } = whereaboutsOf(settings, place);
  return {
    publicUrl,
    ...(place.embedded.database && { databaseUrl }),
    ...(place.embedded.chain && { rpcUrls }),
    ...(development && { development }),
  };
}
