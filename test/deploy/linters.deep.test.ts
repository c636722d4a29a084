import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { skipWithout } from '../kit/unit/debian-packages.ts';
import { scratchFolder } from '../kit/unit/scratch.ts';

// What cannot run here is checked by the programs that will read it. Each throws with its output if it finds a fault.

const ROOT = join(import.meta.dirname, '../..');
const run = (program: string, args: string[], options: { cwd?: string; env?: NodeJS.ProcessEnv } = {}) =>
  execFileSync(program, args, { cwd: ROOT, encoding: 'utf8', stdio: 'pipe', ...options });

test('Compose reads compose.yaml, and takes settings from .env', { skip: skipWithout('docker-compose') }, async (t) => {
  const folder = await scratchFolder(t);
  cpSync(join(ROOT, 'compose.yaml'), join(folder, 'compose.yaml'));
  const environment = () => {
    const config = parse(run('docker-compose', ['config'], { cwd: folder })) as {
      services: Record<string, { environment: Record<string, string> }>;
    };
    return config.services['quarters-2']!.environment;
  };
  assert.deepEqual([environment().RELAYERS, environment().MAIL_FROM], ['2', '']);
  writeFileSync(join(folder, '.env'), 'RELAYERS=4\nMAIL_FROM="Quarters <quarters@quarters.example>"\n');
  assert.deepEqual([environment().RELAYERS, environment().MAIL_FROM], ['4', 'Quarters <quarters@quarters.example>']);
});

test('HAProxy reads its configuration', { skip: skipWithout('haproxy') }, () => {
  const env = { ...process.env, QUARTERS_1: '127.0.0.1:8081', QUARTERS_2: '127.0.0.1:8082' };
  // -dW: warnings are faults.
  run('haproxy', ['-c', '-dW', '-f', 'deploy/haproxy/haproxy.cfg'], { env });
});

test('Prometheus reads its configuration with our alerts', { skip: skipWithout('prometheus') }, async (t) => {
  const folder = await scratchFolder(t);
  cpSync(join(ROOT, 'deploy/prometheus/prometheus.yml'), join(folder, 'prometheus.yml'));
  symlinkSync(join(ROOT, 'monitoring'), join(folder, 'rules'));
  assert.match(run('promtool', ['check', 'config', join(folder, 'prometheus.yml')]), /rules found/);
});

test('the scripts pass shellcheck', { skip: skipWithout('shellcheck') }, () => {
  const scripts = ['image/quarters', 'image/make-secrets.sh', 'compose/create-database.sh', 'compose/give-ether.sh'];
  run(
    'shellcheck',
    [...scripts, 'systemd/quarters'].map((script) => `deploy/${script}`),
  );
});

test('systemd reads the units, and finds them well confined', { skip: skipWithout('systemd') }, async (t) => {
  const root = await scratchFolder(t);
  const units = join(root, 'etc/systemd/system');
  cpSync(join(ROOT, 'deploy/systemd'), units, { recursive: true });
  cpSync('/lib/systemd/system', join(root, 'lib/systemd/system'), {
    recursive: true,
    filter: (path) => !/\.wants/.test(path),
  });
  const node = join(root, 'opt/quarters/node_modules/.bin/node');
  mkdirSync(join(node, '..'), { recursive: true });
  writeFileSync(node, '#!/bin/sh\n');
  chmodSync(node, 0o755);
  const names = ['quarters@1.service', 'quarters-migrate.service'];
  // It ends with 0 although it has warned of an unknown key.
  const verified = spawnSync('systemd-analyze', ['verify', `--root=${root}`, '--man=no', ...names], {
    encoding: 'utf8',
  });
  assert.deepEqual([verified.status, verified.stderr], [0, '']);
  // In tenths, from 0 for the best. What is left: Node.js compiles as it runs, and the service needs a network.
  for (const name of names) {
    run('systemd-analyze', ['security', `--root=${root}`, '--offline=true', '--threshold=15', '--no-pager', name]);
  }
});

/** Where kubernetes-models has the type of each kind. */
const TYPES: Readonly<Record<string, string>> = {
  Deployment: 'apps/v1',
  NetworkPolicy: 'networking.k8s.io/v1',
  PodDisruptionBudget: 'policy/v1',
  Service: 'v1',
};

test('the manifests have no field that Kubernetes does not know, and none of another type', async (t) => {
  const folder = await scratchFolder(t);
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const kustomization = parse(readFileSync(join(ROOT, 'deploy/kubernetes/kustomization.yaml'), 'utf8')) as {
    resources: string[];
  };
  const lines = kustomization.resources.map((file, index) => {
    const manifest = parse(readFileSync(join(ROOT, 'deploy/kubernetes', file), 'utf8')) as { kind: string };
    const type = `I${manifest.kind}`;
    return `import type { ${type} } from 'kubernetes-models/${TYPES[manifest.kind]}';\nexport const m${index}: ${type} = ${JSON.stringify(manifest)};`;
  });
  assert.equal(lines.length, 4);
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--skipLibCheck', '--types', ''];
  const check = (text: string) => {
    writeFileSync(join(folder, 'manifests.mts'), text);
    return run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), ...options, 'manifests.mts'], {
      cwd: folder,
    });
  };
  check(lines.join('\n'));
  assert.throws(() => check(lines.join('\n').replace('readOnlyRootFilesystem', 'readOnlyRootFileSystem')));
});
