import { BlockList, isIP } from 'node:net';

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
  /** The developer has opened a try-out to their own network, as `start --lan` does. */
  readonly isLan?: boolean | undefined;
};

/**
 * Whether a service is for development: it brought its own database and chain, listens on this machine only, without a
 * proxy, and says so to players. `start --lan` opens it to the developer's own network.
 * Such an installation holds nothing of value, and nobody else reaches it. No setting turns development mode on.
 */
export function isDevelopment({ embedded, host, publicUrl, trustProxy, isLan = false }: Facts): boolean {
  const { hostname } = new URL(publicUrl);
  const isHere =
    (isLoopback(host) && isLoopback(hostname)) || (isLan && host === hostname && isPrivateAddress(hostname));
  return embedded.database && embedded.chain && isHere && trustProxy === 0;
}

/**
 * Whether a try-out is not in development mode because of its PUBLIC_URL, which is of a local network: most likely somebody meant to open it
 * to a phone.
 */
export function isTryOutElsewhere({ embedded, publicUrl }: Pick<Facts, 'embedded' | 'publicUrl'>): boolean {
  const { protocol, hostname } = new URL(publicUrl);
  const isLocal = protocol === 'http:' || isPrivateAddress(hostname);
  return embedded.database && embedded.chain && isLocal && !isLoopback(hostname);
}

/** RFC 1918. */
const PRIVATE = new BlockList();
for (const [net, bits] of [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  PRIVATE.addSubnet(net, bits);

export function isPrivateAddress(host: string): boolean {
  return isIP(host) === 4 && PRIVATE.check(host);
}

/** Whether a host name is this machine for certain. Other names and notations count as elsewhere, because only a look-up would tell where they lead. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));
}
