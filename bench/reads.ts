/**
 * Measures `GET /v1/me` and the balance, and new guests. Beside the reads stands the same HTTP framework with one prepared SELECT.
 * Linux. Alone: `node bench/reads.ts`.
 */
import type { Claim, Effort, Figure } from './claim.ts';
import { measureHttpLimit, perSecond } from './http-limit.ts';
import type { FlowData, FlowName } from './load-flows.ts';
import { processorTimeBetween } from './processor-time.ts';
import { runAlone } from './run.ts';
import { type Stage, startStage } from './stage.ts';

const CONNECTIONS = 64;
const USERS = 500;

async function measureReads(effort: Effort): Promise<Figure[]> {
  const seconds = Math.max(2, effort.seconds / 3);
  const stage = await startStage();
  try {
    const { people, serverKeys } = await stage.createPayer(USERS);
    const limit = await measureHttpLimit(stage.databaseUrl, stage.load, { connections: CONNECTIONS, seconds });
    const tokens = people.map(({ token }) => token);
    const select = { name: 'the framework with one prepared SELECT', value: limit.select };
    return [
      ...(await callAll(
        stage,
        'GET /v1/me',
        'read',
        { paths: ['/v1/me'], tokens },
        { seconds, target: '≥ 11,000', limit: select },
      )),
      ...(await callAll(
        stage,
        'balance',
        'read',
        { paths: people.map(({ address }) => `/v1/accounts/${address}/balance`), tokens },
        { seconds, target: '≥ 8,000, ≥ 55 %', limit: select },
      )),
      ...(await callAll(stage, 'new guests', 'guest', { serverKey: serverKeys[0]! }, { seconds, target: '≥ 2,000' })),
      { name: 'the framework with an empty handler', value: limit.empty, unit: '/s' },
    ];
  } finally {
    await stage.stop();
  }
}

async function callAll<Name extends FlowName>(
  stage: Stage,
  name: string,
  flow: Name,
  data: FlowData<Name>,
  { seconds, target, limit }: { readonly seconds: number; readonly target: string; readonly limit?: Figure['limit'] },
): Promise<Figure[]> {
  const order = { port: stage.port, flow, data, connections: CONNECTIONS };
  await stage.load.run({ ...order, seconds: Math.min(2, seconds) });
  const before = stage.processorTime();
  const result = await stage.load.run({ ...order, seconds });
  const spent = processorTimeBetween(before, stage.processorTime());
  if (result.accepted < result.turns)
    throw new Error(`${name}: ${result.turns - result.accepted} calls were not answered.`);
  return [
    { name, value: perSecond(result), unit: '/s', target, ...(limit && { limit }) },
    { name: `${name}: answer, p99`, value: result.p99, unit: 'ms' },
    { name: `${name}: CPU of the service`, value: spent.service! / result.accepted, unit: 'ms' },
    { name: `${name}: CPU of PostgreSQL`, value: spent.postgres! / result.accepted, unit: 'ms' },
  ];
}

export const reads: Claim = {
  name: 'reads',
  title: 'Reads and new guests',
  method: `${CONNECTIONS} connections, each with one call in flight, with the tokens of ${USERS} users in turn. The limit is the same HTTP \
framework, called by the same load generator, with a handler that reads one row by a prepared statement.`,
  measure: measureReads,
};

if (import.meta.main) await runAlone(reads);
