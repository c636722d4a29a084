import { isIP } from 'node:net';

/** What decides whether a service is in development mode. */
type Facts = {
  /** Which parts the service brought itself. */
  readonly embedded: { readonly database: boolean; readonly chain: boolean };
  /** The setting HOST. */
  readonly host: string;
  /** The origin that players and games use. */
  readonly publicUrl: string;
  /** The setting TRUST_PROXY: how many proxies bring visitors from elsewhere. */
  readonly trustProxy: number;
};

/**
 * Whether a service is for development: it brought its own database and chain, listens on this machine only, without a
 * proxy, and says so to players.
 * Such an installation holds nothing of value, and nobody else reaches it. No setting turns development mode on.
 */
export function isDevelopment({ embedded, host, publicUrl, trustProxy }: Facts): boolean {
  const isHere = isLoopback(host) && isLoopback(new URL(publicUrl).hostname) && trustProxy === 0;
  return embedded.database && embedded.chain && isHere;
}

/** Whether a host name is this machine for certain. Other names and notations count as elsewhere, because only a look-up would tell where they lead. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));
}
