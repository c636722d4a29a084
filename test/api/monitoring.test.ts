import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { sharedService } from '../kit/service/shared-service.ts';
import { until } from '../kit/unit/until.ts';

const folder = join(import.meta.dirname, '../../monitoring');
const read = (name: string) => readFileSync(join(folder, name), 'utf8');
const rules = read('alerts.yml');
const dashboard = read('dashboard.json');
const alerts = [...rules.matchAll(/alert: (\w+)/g)].map(([, name]) => name!);

test('each alert has its paragraph in the runbook, and each paragraph its alert', () => {
  const runbook = readFileSync(join(import.meta.dirname, '../../docs/operate/runbook.md'), 'utf8');
  assert.deepEqual(
    [...runbook.matchAll(/^## (\w+)$/gm)].map(([, name]) => name),
    alerts,
  );
});

test('each alert is caused by a test of test/runbook', () => {
  const tests = join(import.meta.dirname, '../runbook');
  const sources = readdirSync(tests).map((file) => readFileSync(join(tests, file), 'utf8'));
  assert.deepEqual(
    alerts.filter((name) => !sources.some((source) => source.includes(`s.fires('${name}')`))),
    [],
  );
});

test('the dashboard shows the state and the newest block of each endpoint, and its panels do not overlap', () => {
  type Panel = { gridPos: Record<'x' | 'y' | 'w' | 'h', number>; targets?: { expr: string }[] };
  const { panels } = JSON.parse(dashboard) as { panels: Panel[] };
  const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  assert.ok(queries.includes('min by (endpoint, host) (quarters_chain_endpoint_up{job="$job"})'));
  assert.ok(queries.includes('max by (endpoint, host) (quarters_chain_endpoint_head{job="$job"})'));
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, at) => `${x + (at % w)}/${y + Math.floor(at / w)}`),
  );
  assert.equal(new Set(cells).size, cells.length);
});

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

test('the alert rules pass promtool, with their own tests', {
  skip: !hasPromtool && 'promtool is not installed',
}, () => {
  execFileSync('promtool', ['check', 'rules', 'alerts.yml'], { cwd: folder });
  execFileSync('promtool', ['test', 'rules', 'alerts.test.yml'], { cwd: folder });
});

test('the metrics that a service shows', async (t) => {
  const { app } = await sharedService(t);
  let body = '';

  await t.test('alerts and dashboard use no others', async () => {
    // Shown once an audit has run.
    const later = /^quarters_audit_/;
    const used = new Set(`${rules}\n${dashboard}`.match(/\bquarters_[a-z_]+/g));
    assert.ok(used.size > 20);
    let missing: string[] = [];
    const areShown = async () => {
      ({ body } = await app.inject('/metrics'));
      const shown = new Set([...body.matchAll(/^(quarters_\w+)/gm)].map(([, name]) => name!));
      missing = [...used].filter((name) => !shown.has(name) && !later.test(name));
      return missing.length === 0;
    };
    // Some are shown once the service has looked.
    await until('all of them are shown', areShown, () => missing.join());
  });

  await t.test('promtool finds no fault in their format', { skip: !hasPromtool && 'promtool is not installed' }, () => {
    const { status, stderr, stdout } = spawnSync('promtool', ['check', 'metrics'], { input: body, encoding: 'utf8' });
    assert.equal(status, 0, `${stdout}${stderr}`);
  });
});
