import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { type Description, operationsOf } from '../kit/unit/description.ts';
import { released, runQuarters, skipOwn, useTarget } from './target.ts';

const documented = (path: string) => readFileSync(new URL(`../../docs/operate/${path}`, import.meta.url), 'utf8');
/** The rows of a page's generated table: the name in the first column, and the options in the last one, both without their values. */
const rowsOf = (text: string, table: string) => {
  const rows = [...(text.split(`<!-- ${table} -->`)[1] ?? '').matchAll(/^\| `([^`]+)` \|(.*)\|$/gm)];
  const bare = (text: string) => text.replace(/ [<[].*$/, '');
  const codesOf = (cells: string) =>
    [
      ...cells
        .split('|')
        .at(-1)!
        .matchAll(/`([^`]+)`/g),
    ].map(([, code]) => bare(code!));
  return new Map(rows.map(([, name, cells]) => [bare(name!), codesOf(cells!)]));
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

test('no setting, command or option of the release is missing', async (t) => {
  if (skipOwn(t)) return;
  const { program } = await useTarget();
  const later = (page: string) => readFileSync(new URL(`../docs/operate/${page}`, `file://${program}`), 'utf8');
  const settings = rowsOf(later('settings.md'), 'settings');
  assert.deepEqual(
    [...rowsOf(documented('settings.md'), 'settings').keys()].filter((name) => !settings.has(name)),
    [],
  );
  const commands = rowsOf(later('commands.md'), 'commands');
  for (const [command, options] of rowsOf(documented('commands.md'), 'commands')) {
    const kept = commands.get(command) ?? assert.fail(`${command} is missing`);
    assert.deepEqual(
      options.filter((option) => !kept.includes(option)),
      [],
      command,
    );
  }
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
