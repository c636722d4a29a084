import { isDevelopment } from '../config/development.ts';
import type { Settings } from '../config/settings.ts';
import { freePort } from '../http/listen.ts';
import type { Running } from './data-folder.ts';
import type { Parts } from './parts.ts';

/** Where a service finds its database and its chain, and where it is found. */
export type ServicePlace = Pick<Parts, 'databaseUrl' | 'rpcUrls'> & {
  /** The origin that players and games use. */
  readonly publicUrl: string;
  /** From `isDevelopment`. Off if it is left out. */
  readonly development?: boolean;
};

/** The place of a service that listens. It can be sent to another process. */
export type ListeningPlace = ServicePlace &
  Pick<Parts, 'embedded'> & { readonly port: number; readonly isLan?: boolean };

export async function chooseListeningPlace(
  settings: Settings,
  { databaseUrl, rpcUrls, embedded }: Parts,
  isLan = false,
): Promise<ListeningPlace> {
  const port = settings.port === 0 ? await freePort() : settings.port;
  const publicUrl = settings.publicUrl ?? `http://localhost:${port}`;
  const development = isDevelopment({ ...settings, embedded, publicUrl, isLan });
  return { databaseUrl, rpcUrls, embedded, publicUrl, port, development, isLan };
}

/** What commands find in the data folder. */
export function runningAt({ publicUrl, databaseUrl, rpcUrls, embedded, development, isLan }: ListeningPlace): Running {
  return {
    publicUrl,
    ...(embedded.database && { databaseUrl }),
    ...(embedded.chain && { rpcUrls }),
    ...(development && { development }),
    ...(isLan && { isLan }),
  };
}
