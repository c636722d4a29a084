import { lookup as systemLookup } from 'node:dns';
import { lookup as lookUpHere, Resolver } from 'node:dns/promises';
import { BlockList, isIP, type LookupFunction } from 'node:net';

// A registered endpoint makes this service send requests (server-side request forgery). So they go to the public internet
// only, and to exactly the address that was checked.

const MAX_URL_LENGTH = 2000;
const HTTPS = 443;
const FIRST_FREE_PORT = 1024;

/** IPv4 that is not the public internet (IANA's special-purpose registry, RFC 6890 and its followers). */
const NOT_PUBLIC_4: readonly [net: string, prefix: number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Link-local, and with it the metadata services of clouds.
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** All routed IPv6 is in 2000::/3. These parts of it are not routed, or contain an IPv4 address of the sender's choice. */
const PUBLIC_6 = ['2000::', 3] as const;
const NOT_PUBLIC_6: readonly [net: string, prefix: number][] = [
  // Protocol assignments, Teredo among them.
  ['2001::', 23],
  ['2001:db8::', 32],
  // 6to4.
  ['2002::', 16],
  ['3fff::', 20],
];

/** Networks that people have for themselves. Link-local addresses are not among them: clouds have their metadata there. */
const PRIVATE_4: readonly [net: string, prefix: number][] = [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
];

const private4 = new BlockList();
for (const [net, prefix] of PRIVATE_4) private4.addSubnet(net, prefix, 'ipv4');
const private6 = new BlockList();
private6.addSubnet('fc00::', 7, 'ipv6');
private6.addAddress('::1', 'ipv6');
const blocked4 = new BlockList();
for (const [net, prefix] of NOT_PUBLIC_4) blocked4.addSubnet(net, prefix, 'ipv4');
const blocked6 = new BlockList();
for (const [net, prefix] of NOT_PUBLIC_6) blocked6.addSubnet(net, prefix, 'ipv6');
const routed6 = new BlockList();
routed6.addSubnet(...PUBLIC_6, 'ipv6');

/** Whether an IP address (text) belongs to the public internet. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !blocked4.check(address, 'ipv4');
  return isIP(address) === 6 && routed6.check(address, 'ipv6') && !blocked6.check(address, 'ipv6');
}

function isPrivateAddress(address: string): boolean {
  if (isIP(address) === 4) return private4.check(address, 'ipv4');
  return isIP(address) === 6 && private6.check(address, 'ipv6');
}

/** What is wrong with an endpoint's URL, as the end of "the URL …". Null if nothing is, as far as can be seen without a DNS lookup. */
export function targetFault(text: string, privateTargets: boolean): string | null {
  // The parser silently drops line breaks, but mails and pages show the text as it is.
  const isOneWord = !/[\s\p{Cc}\p{Cs}]/u.test(text);
  const url = isOneWord && text.length <= MAX_URL_LENGTH && URL.canParse(text) ? new URL(text) : null;
  if (!url)
    return `must be a URL of up to ${MAX_URL_LENGTH} characters, without spaces, such as https://game.example/hook`;
  if (url.protocol !== 'https:' && !(privateTargets && url.protocol === 'http:')) return 'must begin with https://';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (url.hash !== '') return 'must not have a fragment';
  if (privateTargets) return null;
  const port = Number(url.port || HTTPS);
  if (port !== HTTPS && port < FIRST_FREE_PORT) return `must use port ${HTTPS}, or one from ${FIRST_FREE_PORT} on`;
  const host = hostOf(url);
  if (isLoopback(host) || (isIP(host) !== 0 && !isPublicAddress(host))) return 'must be on the public internet';
  return null;
}

/** The URL of this machine that somebody typed (`localhost:3000/hook`, `https://127.0.0.1/`). Null if it leads anywhere else. */
export function loopbackUrl(text: string): URL | null {
  const url = typedUrl(text);
  return url && isLoopback(hostOf(url)) ? url : null;
}

/** The same for a host that somebody named, in a network of their own such as that of containers (`game:3000/hook`). */
export function urlOfHost(text: string, host: string): URL | null {
  const [url, named] = [typedUrl(text), typedUrl(host)];
  if (!url || !named || url.hostname !== named.hostname) return null;
  const address = hostOf(url);
  return isIP(address) === 0 || isPrivateAddress(address) ? url : null;
}

function typedUrl(text: string): URL | null {
  const whole = /^https?:\/\//i.test(text) ? text : `http://${text}`;
  return URL.canParse(whole) ? new URL(whole) : null;
}

/** `host`: normalised by the parser of URLs. */
function isLoopback(host: string): boolean {
  return /^(.+\.)?localhost\.?$/.test(host) || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** The host, without the brackets of an IPv6 address. The parser has normalised other spellings (`0x7f.1`). */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** All addresses of a name. */
export type Resolve = (name: string) => Promise<readonly string[]>;

const LOOKUP_TIMEOUT_MS = 3_000;

/**
 * The addresses that a name has at the name servers; none if they do not answer or do not know it. This machine's own names do not
 * belong to the public internet, and a slow name server would occupy the threads of the system's lookup.
 */
export async function resolvePublic(name: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: LOOKUP_TIMEOUT_MS, tries: 2 });
  const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  return found.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
}

/**
 * The lookup for connections to endpoints. The connection uses its result, so a name cannot lead elsewhere after the check. A name with
 * one address outside the public internet fails.
 */
export function publicLookup(resolve: Resolve = resolvePublic): LookupFunction {
  return lookupWithin(isPublicAddress, 'The name leads to no public address', resolve);
}

/** The lookup for a {@link urlOfHost}. A name that leads out of private networks, at any of its addresses, fails. */
export function privateLookup(resolve: Resolve = resolveHere): LookupFunction {
  return lookupWithin(isPrivateAddress, 'The name leads to no private address', resolve);
}

/** As this machine does: a network of containers has names of its own. */
async function resolveHere(name: string): Promise<string[]> {
  return (await lookUpHere(name, { all: true })).map(({ address }) => address);
}

function lookupWithin(isInside: (address: string) => boolean, refusal: string, resolve: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (first === undefined || !addresses.every(isInside)) {
          callback(new Error(refusal), '', 0);
        } else if (options.all) {
          callback(
            null,
            addresses.map((address) => ({ address, family: isIP(address) })),
          );
        } else callback(null, first, isIP(first));
      },
      (error: Error) => callback(error, '', 0),
    );
  };
}

/** The lookup for a {@link loopbackUrl}. It asks nobody, so no name leads anywhere else. */
export const loopbackLookup: LookupFunction = (_hostname, { all }, callback) => {
  const [v4, v6] = ['127.0.0.1', '::1'] as const;
  if (!all) return callback(null, v4, 4);
  // A server that listens on `localhost` may have only one of the two.
  callback(null, [
    { address: v4, family: 4 },
    { address: v6, family: 6 },
  ]);
};

/** The lookup for endpoints if the operator allows any address. */
export const anyLookup: LookupFunction = (hostname, options, callback) => systemLookup(hostname, options, callback);
