import type { TestContext } from 'node:test';
import { countAnswers } from '../../src/base/answer-counts.ts';
import { openSecurityLog } from '../../src/base/security-log.ts';
import type { Query } from '../../src/db/database.ts';
import { sharedLookups } from '../../src/db/shared-lookups.ts';
import { createApiSite } from '../../src/process/site.ts';
import type { Service } from '../../src/service/service.ts';
import { HOUSE } from '../kit/service/house.ts';

type Logged = { entry: Record<string, unknown>; message: string };

/** Only the HTTP server: the test decides what each query and each call of the chain does. */
export async function frame(
  t: TestContext,
  query: (text: string) => Promise<unknown>,
  rpc = () => Promise.resolve('0x7a69'),
  options: { settings?: object; publicUrl?: string } = {},
) {
  const errors: Logged[] = [];
  const lines: string[] = [];
  const line = (entry: Logged['entry'], message: string) => void lines.push(JSON.stringify({ ...entry, message }));
  const log = {
    info: line,
    warn: line,
    error: (entry: Logged['entry'], message: string) => errors.push({ entry, message }),
  };
  const settlement = { gas: 'ok' };
  const readiness = { started: true, chain: 'ok', compared: 'done', suspended: false };
  const decisions = { stalled: false };
  const { publicUrl = 'http://localhost' } = options;
  const answers = countAnswers();
  const settings = {
    accessLog: 'on',
    pagesPercent: 50,
    brandName: 'Quarters',
    brandAccent: '#f5b301',
    ...options.settings,
  };
  const service = {
    house: HOUSE,
    log,
    db: { query, ...sharedLookups({ query: query as unknown as Query }), assertWritable: () => query('') },
    replica: () => null,
    rpc: { call: rpc },
    chain: { chainId: 31337 },
    settings,
    security: openSecurityLog(log),
    answers,
    publicUrl,
    settlement,
    readiness,
    isStalled: () => decisions.stalled,
    rateLimits: { credentials: null, addresses: null },
  };
  const app = await createApiSite(service as unknown as Service);
  t.after(() => app.close());
  return { app, errors, lines, answers, settlement, readiness, decisions };
}

/** A query that never gets a reply. */
export const never = () => new Promise<never>(() => {});
