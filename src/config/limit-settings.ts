import { setting, wholeNumber } from './parse.ts';

/** How much traffic is taken. */
export const LIMIT_SETTINGS = {
  rateLimitPerSecond: setting(
    'RATE_LIMIT_PER_SECOND',
    '100',
    wholeNumber(0, 1_000_000),
    'API calls per second for one credential, over all processes; 0: no limit',
  ),
  rateLimitPerAddress: setting(
    'RATE_LIMIT_PER_ADDRESS',
    '200',
    wholeNumber(0, 1_000_000),
    'calls without a valid credential, plus page requests, per second from one address; 0: no limit',
  ),
  pagesPercent: setting(
    'PAGES_PERCENT',
    '50',
    wholeNumber(1, 100),
    'share of a process’s time that pages, sign-in and calls without a valid credential get while payments need it; 100: no limit',
  ),
  maxConnections: setting(
    'MAX_CONNECTIONS',
    '10000',
    wholeNumber(1, 1_000_000),
    'most open connections, of all workers together; further ones are closed',
  ),
  maxConnectionsPerAddress: setting(
    'MAX_CONNECTIONS_PER_ADDRESS',
    '500',
    wholeNumber(0, 1_000_000),
    'most open connections of one address (IPv6: one /64); not counted if TRUST_PROXY is set; 0: no limit',
  ),
} as const;
