import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { chownSync, lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { anvilBinary } from '../../local/anvil/node.ts';
import { startChild } from '../../local/child.ts';
import { connectRpc } from '../../src/chain/rpc.ts';
import { createDatabase } from '../kit/service/database.ts';
import { inDatabase, onServer } from '../kit/service/postgres.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { skipWithout } from '../kit/unit/debian-packages.ts';
import { descendants } from '../kit/unit/processes.ts';
import { scratchFolder } from '../kit/unit/scratch.ts';
import { until } from '../kit/unit/until.ts';
import { startContainer } from './container.ts';
import { openImages } from './images.ts';

const DEPLOY = join(import.meta.dirname, '../../deploy');
const skip =
  (process.getuid?.() !== 0 && 'only root builds images here') ||
  skipWithout('buildah', 'mmdebstrap', 'haproxy', 'postgresql');

/** Addresses of loopback that no other test has, so that every port on them is free. */
const network = `127.${randomInt(1, 255)}.${randomInt(255)}`;

/** It builds two images from packages. */
const timeout = 30 * 60_000;

// What compose.yaml does, with the same images, scripts and proxy configuration, and the run's PostgreSQL.
test('two containers of the image behind the proxy take payments, and end in order', { skip, timeout }, async (t) => {
  const folder = await scratchFolder(t);
  const images = await openImages(t, folder);
  const service = await images.build('service');

  const ownFolder = (name: string) => {
    const path = join(folder, name);
    mkdirSync(path, { mode: 0o700 });
    chownSync(path, 10001, 10001);
    return path;
  };
  const volumes = { secrets: ownFolder('secrets'), passwords: ownFolder('passwords'), chain: join(folder, 'chain') };

  await t.test('the image names a user that is not root, its volume and where it comes from', () => {
    const { User, Volumes, Labels } = service.config;
    assert.equal(User, '10001:10001');
    assert.deepEqual(Object.keys(Volumes), ['/data']);
    assert.equal(Labels['org.opencontainers.image.licenses'], 'Apache-2.0');
    assert.ok(service.size < 350e6, `${service.size} bytes`);
    t.diagnostic(`the image has ${Math.round(service.size / 1e6)} MB`);
  });

  await t.test('the image has nothing of the emulator', async () => {
    const sources = ['find', '/app', '-path', '/app/node_modules', '-prune', '-o', '-name', '*.ts', '-print'];
    const found = (await service.run(sources)).trim().split('\n');
    assert.ok(found.includes('/app/src/main.ts'));
    assert.deepEqual(
      found.filter((path) => path.includes('emulator') || path.startsWith('/app/local/')),
      [],
    );
  });

  const database = await ownDatabase(t);
  await t.test('secrets are made once, readable by nobody else, and the database by them', async () => {
    const mounts = [`--volume=${volumes.secrets}:/run/quarters`, `--volume=${volumes.passwords}:/run/database`];
    const make = ['sh', '/app/deploy/image/make-secrets.sh', '/run/quarters', '/run/database'];
    const env = ['HOST', 'PORT', 'NAME'].map((name) => `--env=DATABASE_${name}=${database.env[`DATABASE_${name}`]}`);
    assert.equal(await service.run(make, [...mounts, ...env]), '');
    const key = readFileSync(join(volumes.secrets, 'master-key'), 'utf8');
    assert.match(key, /^[0-9a-f]{64}\n$/);
    assert.equal(lstatSync(join(volumes.secrets, 'master-key')).mode & 0o777, 0o400);
    await service.run(make, [...mounts, ...env]);
    assert.equal(readFileSync(join(volumes.secrets, 'master-key'), 'utf8'), key);

    const DATABASE_PASSWORD_FILE = join(volumes.passwords, 'database-password');
    const env2 = { ...process.env, ...database.env, DATABASE_PASSWORD_FILE };
    execFileSync('sh', [join(DEPLOY, 'compose/create-database.sh')], { env: env2 });
  });

  await startChain(t, volumes.chain);
  const rpcUrl = `http://${network}.9:10080`;
  const chain = connectRpc([rpcUrl]);
  await until('the chain answers', () => chain.call('eth_chainId', []).then(Boolean, () => false));

  const settings = {
    PUBLIC_URL: `http://${network}.8:8080`,
    TRUST_PROXY: '1',
    CHAIN_RPC_URL: rpcUrl,
    DATABASE_URL_FILE: '/run/quarters/database-url',
    MASTER_KEY_FILE: '/run/quarters/master-key',
    RELAYERS: '2',
  };
  const variables = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  const start = async (number: number) => {
    const env = { ...settings, HOST: `${network}.${number}` };
    const data = join(folder, `data-${number}`);
    if (!readdirSync(folder).includes(`data-${number}`)) ownFolder(`data-${number}`);
    return startContainer(t, service, { env, volumes: { '/data': data, '/run/quarters': volumes.secrets } });
  };

  await t.test('the first start names the accounts that need ether, and the script gives them some', async () => {
    const first = await start(1);
    assert.equal((await first.exited).code, 1);
    const env = { ...process.env, CHAIN: `${network}.9`, IN_CHAIN: 'env' };
    const said = execFileSync('sh', [join(DEPLOY, 'compose/give-ether.sh')], { input: first.output(), env });
    assert.equal(said.toString().match(/has 1,000 ether/g)?.length, 3);
  });

  const processes = await Promise.all([1, 2].map(start));
  const proxy = await startProxy(t);
  for (const number of [1, 2]) {
    await until(
      `process ${number} is ready`,
      async () => (await status(`http://${network}.${number}:8080/readyz`)) === 200,
      () => processes.map((one) => one.output()),
    );
  }
  await until('the proxy passes calls on', async () => (await status(`${proxy}/readyz`)) === 200);

  await t.test('their processes are not root and have no rights', () => {
    for (const { pid } of processes) {
      const of = descendants(pid).map((id) => readFileSync(`/proc/${id}/status`, 'utf8'));
      assert.ok(of.length >= 2, 'tini and the service');
      for (const text of of) {
        assert.match(text, /^Uid:\t10001\t10001\t10001\t10001$/m);
        assert.match(text, /^CapBnd:\t0{16}$/m);
        assert.match(text, /^NoNewPrivs:\t1$/m);
      }
    }
  });

  await t.test('the health check of the image succeeds while the process answers', async () => {
    const [, ...check] = service.config.Healthcheck.Test;
    await service.run(check, [`--env=HOST=${network}.1`]);
    await assert.rejects(service.run(check, [`--env=HOST=${network}.7`]));
  });

  await t.test('no process answers what controls an emulator', async () => {
    assert.equal(await status(`http://${network}.1:8080/emulator/v1/state`), 404);
  });

  await t.test('the proxy hides the metrics', async () => {
    assert.equal(await status(`${proxy}/metrics`), 404);
  });

  const quarters = async (...args: string[]) => {
    const options = [...variables.map((variable) => `--env=${variable}`), `--volume=${volumes.secrets}:/run/quarters`];
    return JSON.parse(await service.run(['quarters', ...args, '--json'], options)) as Record<string, string>;
  };
  let pay: () => Promise<number>;
  let received: () => Promise<number>;

  await t.test('commands run in the image, and a payment completes through the proxy', async () => {
    const app = await quarters('apps', 'create', '--name', 'Deployed');
    const call = async (method: string, path: string, token = app.serverKey!, body?: object) => {
      const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) };
      const response = await fetch(`${proxy}/v1${path}`, {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: (await response.json()) as Record<string, string>[] };
    };
    const balance = async (address: string, token?: string) =>
      Number((await call('GET', `/accounts/${address}/balance`, token)).body[0]!.quarters);
    await quarters('issue', app.id!, '1000', '--yes');
    await until('the issued quarters arrive', async () => (await balance(app.address!)) === 1000);
    const guest = (await call('POST', '/new-guest')).body[0]!;
    pay = async () =>
      (await call('POST', `/accounts/${app.address}/transfer`, undefined, { amount: 1, user: guest.user_id })).status;
    received = () => balance(guest.address!, guest.access_token);
    assert.equal(await pay(), 200);
    await until('the guest has a quarter', async () => (await received()) === 1);
  });

  await t.test('a process that stops refuses no payment, ends with code 0, and the other pays on', async () => {
    let isOver = false;
    const statuses = [200];
    const paying = (async () => {
      while (!isOver) {
        statuses.push(await pay());
        // Below the rate limit of a key.
        await delay(20);
      }
    })();
    const { code } = await processes[0]!.stop();
    isOver = true;
    await paying;
    assert.equal(code, 0, processes[0]!.output());
    assert.deepEqual([...new Set(statuses)], [200]);
    assert.ok(statuses.length > 5, `${statuses.length}`);
    await until('all payments complete', async () => (await received()) === statuses.length);
  });

  await t.test('the last process stops in order, too, and has written to its volume only', async () => {
    const [pid] = descendants(processes[1]!.pid);
    assert.match(readFileSync(`/proc/${pid}/mounts`, 'utf8'), /^\S+ \/ \S+ ro,/m);
    const { code } = await processes[1]!.stop();
    assert.equal(code, 0, processes[1]!.output());
    assert.deepEqual(readdirSync(join(folder, 'data-2')).sort(), ['lock', 'lock.pid']);
  });
});

/** A role and a database that do not exist yet, on the run's PostgreSQL. */
async function ownDatabase(t: TestContext): Promise<{ env: Readonly<Record<string, string>> }> {
  const url = new URL(await createDatabase(t));
  const name = `deployed_${randomInt(2 ** 40)}`;
  atEnd(t, async () => {
    const server = inDatabase(url.href, 'postgres');
    await onServer(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await onServer(server, `DROP ROLE IF EXISTS ${name}`);
  });
  const { hostname, port, username, password } = url;
  return {
    env: {
      DATABASE_HOST: hostname,
      DATABASE_PORT: port,
      DATABASE_NAME: name,
      POSTGRES_USER: username,
      PGHOST: hostname,
      PGPORT: port,
      PGPASSWORD: password,
    },
  };
}

/** Starts the chain as the Dockerfile's stage does. Building that stage, too, would cost minutes. */
async function startChain(t: TestContext, folder: string): Promise<void> {
  const stage = /AS chain\n(.*?)\nFROM/s.exec(readFileSync(join(DEPLOY, '../Dockerfile'), 'utf8'))![1]!;
  const words = (key: string) => JSON.parse(new RegExp(`^${key} (.*)$`, 'm').exec(stage)![1]!) as string[];
  const args = [...words('ENTRYPOINT').slice(3), ...words('CMD')];
  const child = await startChild({
    command: anvilBinary(),
    args: args.map((arg) => arg.replace('0.0.0.0', `${network}.9`).replace('/chain', folder)),
    env: { HOME: folder },
  });
  atEnd(t, () => child.stop());
}

/** Starts HAProxy with the file of compose.yaml. Returns its address. */
async function startProxy(t: TestContext): Promise<string> {
  const at = `${network}.8:8080`;
  const child = await startChild({
    command: 'haproxy',
    args: ['-db', '-f', join(DEPLOY, 'haproxy/haproxy.cfg')],
    env: { PATH: process.env.PATH, LISTEN: at, QUARTERS_1: `${network}.1:8080`, QUARTERS_2: `${network}.2:8080` },
  });
  atEnd(t, () => child.stop({ signal: 'SIGKILL' }));
  return `http://${at}`;
}

/** 0 if nobody answers. */
async function status(url: string): Promise<number> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(10_000), headers: { connection: 'close' } });
    await response.text();
    return response.status;
  } catch {
    return 0;
  }
}
