import { isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';

const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;

/** Whether an address of a connection is of this machine: a caller here, or a proxy or tunnel that brings others. */
export function isLoopback(ip: string): boolean {
  return LOOPBACK.test(ip);
}

/**
 * The address a caller is counted by: IPv4 whole, IPv6 by its first 64 bits, as one subscriber has at least those (RFC 6177).
 */
export function clientAddress({ ip }: Pick<FastifyRequest, 'ip'>): string {
  if (!isIPv6(ip)) return ip;
  // An IPv4 caller on a socket for both.
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip);
  return mapped ? mapped[1]! : `${firstGroups(ip).join(':')}::/64`;
}

function firstGroups(ip: string): string[] {
  // In a URL the notation is the shortest one, and a dotted end is written as groups.
  const [head = '', tail] = new URL(`http://[${ip.split('%', 1)[0]}]/`).hostname.slice(1, -1).split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? [] : Array<string>(8 - before.length - after.length).fill('0');
  return [...before, ...zeros, ...after].slice(0, 4);
}
