import pg from 'pg';
import { endProcess, type Load, nextMessage, startBenchProcess } from './load.ts';
import type { LoadResult } from './load-generator.ts';

const ROWS = 10_000;

/** The HTTP framework alone, called by the same load generator: calls a second. */
export type HttpLimit = {
  /** With a handler that does nothing. */
  readonly empty: number;
  /** With a handler that reads one row by a prepared statement. */
  readonly select: number;
};

/** `databaseUrl`: the server of the service under test; the rows are in a database of their own there. */
export async function measureHttpLimit(
  databaseUrl: string,
  load: Load,
  { connections, seconds }: { readonly connections: number; readonly seconds: number },
): Promise<HttpLimit> {
  const server = startBenchProcess('http-limit-server.ts', [await createRows(databaseUrl)]);
  try {
    const port = await nextMessage<number>(server);
    const measure = async (paths: readonly string[]) => {
      const order = { port, flow: 'read', data: { paths, tokens: paths }, connections } as const;
      await load.run({ ...order, seconds: Math.min(1, seconds) });
      return perSecond(await load.run({ ...order, seconds }));
    };
    const rows = Array.from({ length: ROWS }, (_, i) => `/rows/${rowId(i)}`);
    return { empty: await measure(['/empty']), select: await measure(rows) };
  } finally {
    await endProcess(server);
  }
}

export function perSecond({ accepted, began, ended }: LoadResult): number {
  return (accepted * 1000) / (ended - began);
}

const rowId = (i: number) => i.toString().padStart(20, 'r');

async function createRows(databaseUrl: string): Promise<string> {
  const url = Object.assign(new URL(databaseUrl), { pathname: '/bench_limit' }).href;
  await runStatements(databaseUrl, ['DROP DATABASE IF EXISTS bench_limit WITH (FORCE)', 'CREATE DATABASE bench_limit']);
  await runStatements(url, [
    'CREATE TABLE limit_rows (id text PRIMARY KEY, name text NOT NULL, amount bigint NOT NULL)',
    `INSERT INTO limit_rows SELECT lpad(i::text, 20, 'r'), 'Ada', i FROM generate_series(0, ${ROWS - 1}) AS i`,
    'ANALYZE limit_rows',
  ]);
  return url;
}

async function runStatements(url: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
