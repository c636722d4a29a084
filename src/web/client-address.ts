import { isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';

const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;

/** Whether a connection comes from this machine: from a local caller, or from a proxy or tunnel for others. */
export function isLoopback(ip: string): boolean {
  return LOOPBACK.test(ip);
}

/**
 * The address by which a caller is counted. IPv4 counts whole. IPv6 counts by its first 64 bits, because one subscriber has at
 * least that many addresses (RFC 6177).
 */
export function clientAddress({ ip }: Pick<FastifyRequest, 'ip'>): string {
  if (!isIPv6(ip)) return ip;
  // An IPv4 caller on a dual-stack socket.
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip);
  return mapped ? mapped[1]! : `${firstGroups(ip).join(':')}::/64`;
}

function firstGroups(ip: string): string[] {
  // A URL has the shortest notation, and writes a dotted end as groups.
  const [head = '', tail] = new URL(`http://[${ip.split('%', 1)[0]}]/`).hostname.slice(1, -1).split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? [] : Array<string>(8 - before.length - after.length).fill('0');
  return [...before, ...zeros, ...after].slice(0, 4);
}
