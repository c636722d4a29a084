import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { type Description, operationsOf } from '../support/description.ts';
import { released, runQuarters, skipOwn, useTarget } from './target.ts';

const documented = (path: string) => readFileSync(new URL(`../../docs/operate/${path}`, import.meta.url), 'utf8');
/** Names of the first column of a page's generated table. */
const firstColumn = (page: string, table: string) => {
  const text = documented(page).split(`<!-- ${table} -->`)[1] ?? '';
  return [...text.matchAll(/^\| `([^`]+)`/gm)].map(([, name]) => name!);
};

test('commands keep their exit codes, their JSON and their streams', async () => {
  const target = await useTarget();
  const [version, wrong, missing, health] = await Promise.all([
    runQuarters(target, ['--version']),
    runQuarters(target, ['no-such-command']),
    runQuarters(target, ['users', 'show', 'Z'.repeat(28), '--json']),
    runQuarters(target, ['health', '--json']),
  ]);
  assert.match(version.out, /^quarters \d+\.\d+\.\d+/);
  assert.deepEqual([version.code, wrong.code, missing.code], [0, 2, 3], `${wrong.err}\n${missing.err}`);
  const { error } = JSON.parse(missing.err.trim().split('\n').at(-1)!) as { error: Record<string, unknown> };
  assert.deepEqual([error.reason, error.exitCode, error.code], ['notFound', 3, 'not-found']);
  const { checks, state } = JSON.parse(health.out) as { checks: { part: string }[]; state: string };
  assert.ok(['good', 'warning', 'bad', 'unknown'].includes(state));
  assert.ok(['Service', 'Database', 'Chain', 'Audit'].every((name) => checks.some(({ part }) => part === name)));
});

test('probes and metrics keep their names', async () => {
  const { origin } = await useTarget();
  assert.deepEqual(await (await fetch(`${origin}/healthz`)).json(), { status: 'ok' });
  const ready = (await (await fetch(`${origin}/readyz`)).json()) as Record<string, string>;
  for (const name of ['status', 'start', 'database', 'chain', 'gas', 'payments']) assert.ok(name in ready, name);
  const metrics = await (await fetch(`${origin}/metrics`)).text();
  const names = new Set([...metrics.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
  const promised = [...documented('monitoring.md').matchAll(/`(quarters_[a-z_]+[a-z])(\{[^}]*\})?`/g)].map(
    ([, name]) => name!,
  );
  assert.ok(promised.length > 10);
  assert.deepEqual(
    promised.filter((name) => !names.has(name)),
    [],
  );
});

test('no setting and no command of the release is missing', async (t) => {
  if (skipOwn(t)) return;
  const target = await useTarget();
  const help = await runQuarters(target, ['--help']);
  for (const line of firstColumn('commands.md', 'commands')) {
    const words = line.split(' ').filter((word) => /^[a-z-]+$/.test(word));
    const { code, err } = await runQuarters(target, [...words, '--help']);
    assert.equal(code, 0, `${line}: ${err}${help.err}`);
  }
  const later = readFileSync(new URL('../docs/operate/settings.md', `file://${target.program}`), 'utf8');
  const missing = firstColumn('settings.md', 'settings').filter((name) => !later.includes(`\`${name}\``));
  assert.deepEqual(missing, []);
});

test('no operation of the release is missing, and none requires more than it did', async (t) => {
  if (skipOwn(t)) return;
  const { origin } = await useTarget();
  const now = (await (await fetch(`${origin}/openapi.json`)).json()) as Description;
  for (const { method, path, operation } of operationsOf(released)) {
    const later = now.paths[path]?.[method.toLowerCase()];
    assert.equal(later?.operationId, operation.operationId, `${method} ${path}`);
    const required = (of: typeof operation) => of.requestBody?.content['application/json']?.schema.required ?? [];
    const added = required(later!).filter((name) => !required(operation).includes(name));
    assert.deepEqual(added, [], `${operation.operationId} requires more`);
  }
});
