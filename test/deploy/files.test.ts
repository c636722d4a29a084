import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { buildProgram } from '../../src/cli/run.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import { STOP_ENDS_WITHIN_MS } from '../../src/process/shutdown.ts';
import { HOUSE } from '../kit/service/house.ts';

// What deployment files say of the service goes stale silently: their settings, commands, ports, paths and times.

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

type Compose = { services: Record<string, ComposeService> };
type ComposeService = {
  image: string;
  environment?: Record<string, string>;
  entrypoint?: string[];
  volumes?: string[];
  stop_grace_period?: string;
  cap_drop?: string[];
  cap_add?: string[];
  security_opt?: string[];
  mem_limit?: string;
  ports?: string[];
};
type Container = { args: string[]; ports?: { name: string; containerPort: number }[] };
type Deployment = {
  spec: {
    template: { spec: { initContainers: Container[]; containers: [Container]; terminationGracePeriodSeconds: number } };
  };
};

const compose = parse(read('compose.yaml'), { merge: true }) as Compose;
const processes = Object.entries(compose.services).filter(([name]) => name.startsWith('quarters-'));
const pod = (parse(read('deploy/kubernetes/deployment.yaml')) as Deployment).spec.template.spec;
const unit = read('deploy/systemd/quarters@.service');
const dockerfile = read('Dockerfile');

const known = new Set(
  Object.values(SETTINGS).flatMap(({ name, ...more }) => [name, 'file' in more ? more.file : name]),
);
const assignments = (text: string) => [...text.matchAll(/(?:^|\s)([A-Z][A-Z_]+)=(\S*)/gm)].map(([, name]) => name!);
const linesOf = (text: string, start: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith(start))
    .join('\n');

test('every variable that deployment files set for the service is a setting', () => {
  assert.equal(processes.length, 2);
  const named = {
    'compose.yaml': processes.flatMap(([, { environment }]) => Object.keys(environment ?? {})),
    'deploy/kubernetes/settings.env': assignments(read('deploy/kubernetes/settings.env')),
    'deploy/systemd/settings.env': assignments(linesOf(read('deploy/systemd/settings.env'), '')),
    'deploy/systemd/quarters@.service': assignments(linesOf(unit, 'Environment=').replaceAll('Environment=', '')),
    'deploy/systemd/quarters': assignments(linesOf(read('deploy/systemd/quarters'), 'export')),
    Dockerfile: assignments(linesOf(dockerfile.split('AS service').at(-1)!, 'ENV')),
  };
  for (const [file, names] of Object.entries(named)) {
    assert.ok(names.length > 1, file);
    assert.deepEqual(
      names.filter((name) => !known.has(name)),
      [],
      file,
    );
  }
});

test('compose.yaml takes every setting from .env that it does not decide itself', () => {
  const decided = [
    'PORT',
    'HOST',
    'QUARTERS_DATA_DIR',
    'DATABASE_URL',
    'MASTER_KEY',
    'MASTER_KEY_FILE',
    'MASTER_KEY_COMMAND',
  ];
  const metrics = ['METRICS', 'METRICS_PORT', 'METRICS_HOST'];
  // A logo and a recovery kit need a volume, and the demo needs embedded parts.
  const others = new Set([...decided, ...metrics, 'BRAND_LOGO', 'RECOVERY_KIT_FILE', 'DEMO_APP', 'ARCADE_PORT']);
  for (const [service, { environment }] of processes) {
    const taken = Object.entries(environment!).filter(([name, value]) => value.startsWith(`\${${name}:-`));
    assert.deepEqual(
      taken.map(([name]) => name).sort(),
      Object.values(SETTINGS)
        .map(({ name }) => name)
        .filter((name) => !others.has(name))
        .sort(),
      service,
    );
  }
});

test('every command that deployment files run exists', async () => {
  const nothing = { start: async () => {}, migrate: async () => ({ applied: [] }) };
  const connect = () => Promise.reject(new Error('This only lists commands'));
  const program = await buildProgram(
    { ...nothing, house: () => HOUSE, connect, out: process.stdout, err: process.stderr },
    () => {},
  );
  const commands = new Set(program.commands.map((command) => command.name()));
  const units = `${unit}\n${read('deploy/systemd/quarters-migrate.service')}`;
  const run = [
    ...[...units.matchAll(/^ExecStart=\S+\/node src\/main\.ts (\S+)$/gm)].map(([, command]) => command!),
    ...[...pod.initContainers, ...pod.containers].map(({ args }) => args[0]!),
    (JSON.parse(/^CMD (\["start"\])$/m.exec(dockerfile)![1]!) as string[])[0]!,
  ];
  assert.deepEqual(run, ['start', 'migrate', 'migrate', 'start', 'start']);
  assert.deepEqual(
    run.filter((command) => !commands.has(command)),
    [],
  );
});

test('the image has nothing of the emulator, whose control routes no player may reach', () => {
  const allowed = read('.dockerignore')
    .split('\n')
    .filter((line) => line.startsWith('!'))
    .map((line) => line.slice(1));
  const copied = [
    ...dockerfile
      .split('AS service')
      .at(-1)!
      .matchAll(/^COPY (?!--)(.+) \S+$/gm),
  ].flatMap(([, paths]) => paths!.split(' '));
  const inImage = allowed
    .flatMap((path) => globSync([path, `${path}/**/*`], { cwd: ROOT }))
    .filter((path) => copied.some((from) => path === from || path.startsWith(`${from}/`)));
  assert.ok(inImage.includes('src/main.ts'));
  const sources = inImage.filter((path) => /\.(ts|js|mjs|json)$/.test(path));
  assert.deepEqual(
    sources.filter((path) => path.includes('emulator') || read(path).includes('/emulator/')),
    [],
  );
});

test('ports are the same in all deployment files', () => {
  const haproxy = read('deploy/haproxy/haproxy.cfg');
  const names = processes.map(([name]) => name);
  assert.deepEqual(
    [...haproxy.matchAll(/presetenv QUARTERS_\d (\S+)/g)].map(([, at]) => at),
    names.map((name) => `${name}:${SETTINGS.port.fallback}`),
  );
  assert.match(dockerfile, new RegExp(`EXPOSE ${SETTINGS.port.fallback}\n`));
  const scraped = /targets: (\[.*\])/.exec(read('deploy/prometheus/prometheus.yml'))![1]!.replaceAll("'", '"');
  assert.deepEqual(
    JSON.parse(scraped),
    processes.map(([name, { environment }]) => `${name}:${environment!.METRICS_PORT}`),
  );
  const ports = Object.fromEntries(
    pod.containers[0].ports!.map(({ name, containerPort }) => [name, `${containerPort}`]),
  );
  assert.deepEqual(ports, {
    http: SETTINGS.port.fallback,
    metrics: /METRICS_PORT=(\d+)/.exec(read('deploy/kubernetes/settings.env'))![1],
  });
});

test('no container of compose.yaml has a right of root or all of the memory, and none is published beyond this machine', () => {
  for (const [name, { cap_drop, cap_add, security_opt, mem_limit, ports = [] }] of Object.entries(compose.services)) {
    assert.deepEqual([cap_drop, cap_add, security_opt], [['ALL'], undefined, ['no-new-privileges:true']], name);
    assert.match(mem_limit ?? '', /^(\$\{MEMORY_LIMIT:-)?\d+[mg]\}?$/, name);
    for (const port of ports) assert.match(port, /^127\.0\.0\.1:/, name);
  }
  assert.equal(compose.services.chain!.ports, undefined, 'any page could drive it');
  const port = /"--port", "(\d+)"/.exec(dockerfile)![1]!;
  assert.match(dockerfile, new RegExp(`EXPOSE ${port}\n`));
  assert.match(processes[0]![1].environment!.CHAIN_RPC_URL!, new RegExp(`//chain:${port}\\}$`));
  assert.match(read('deploy/compose/give-ether.sh'), new RegExp(`/${port}"`));
});

test('paths that deployment files name exist', () => {
  const services = Object.values(compose.services);
  const mounted = services.flatMap(({ volumes = [] }) => volumes.map((volume) => volume.split(':')[0]!));
  const inImage = [
    ...`${dockerfile}${JSON.stringify(services.map(({ entrypoint }) => entrypoint))}`.matchAll(
      /\/app\/((?:deploy|src)[\w./-]+)/g,
    ),
  ];
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths]) => paths!.split(' '));
  const named = [...mounted.filter((path) => path.startsWith('./')), ...inImage.map(([, path]) => path!), ...copied];
  assert.ok(named.length > 15);
  assert.deepEqual(
    named.filter((path) => !existsSync(join(ROOT, path))),
    [],
  );
});

test('a process starts after the update of the tables, also if the update failed', () => {
  assert.match(unit, /^Wants=.*\bquarters-migrate\.service\b/m);
  assert.match(unit, /^After=.*\bquarters-migrate\.service\b/m);
  assert.doesNotMatch(unit, /^(?:Requires|Requisite|BindsTo)=.*quarters-migrate/m);
  // Otherwise systemd gives up after five starts in ten seconds.
  assert.match(unit, /^StartLimitIntervalSec=0$/m);
  assert.match(unit, /^Restart=always$/m);
});

test('everything that stops the service waits until it has stopped in order', () => {
  const needed = STOP_ENDS_WITHIN_MS / 1000;
  for (const [name, { stop_grace_period }] of processes)
    assert.ok(Number.parseInt(stop_grace_period!, 10) > needed, name);
  assert.ok(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)![1]) > needed);
  const draining = /DRAIN_SECONDS=(\d+)/.exec(read('deploy/kubernetes/settings.env'))![1];
  assert.ok(pod.terminationGracePeriodSeconds > needed + Number(draining));
});
