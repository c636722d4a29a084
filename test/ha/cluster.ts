import type { TestContext } from 'node:test';
import pg from 'pg';
import { type Child, startChild } from '../../local/child.ts';
import { endClient } from '../../src/db/client.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { until } from '../kit/unit/until.ts';
import { installClock, MOVABLE_CLOCK, setClock } from './clock.ts';
import { DEPLOY, etcdOf, newSecrets, patroniOf } from './environments.ts';
import { hasStandbys } from './look.ts';
import { type Machine, makeMachines } from './machines.ts';

export type Node = {
  readonly name: string;
  readonly machine: Machine;
  /** Starts etcd and Patroni, on a machine where neither runs. */
  boot(): Promise<void>;
  /** Starts Patroni, which starts PostgreSQL. */
  startDatabase(): Promise<void>;
  /** kill -9 of Patroni and PostgreSQL, and starts them again. */
  restartDatabase(): Promise<void>;
  /** kill -9 of PostgreSQL, Patroni and etcd, as a loss of power. */
  crash(): void;
  /** Moves its clock, of Patroni and PostgreSQL, by so many seconds. */
  moveClock(seconds: number): Promise<void>;
};

export type Member = {
  readonly name: string;
  readonly role: 'leader' | 'sync_standby' | 'replica';
  readonly state: string;
};

export type Cluster = {
  readonly nodes: readonly Node[];
  /** The way to the primary through HAProxy, as the role and to the database of the service. */
  readonly url: string;
  /** The same to the standbys, in turn. */
  readonly replicasUrl: string;
  /** The way to one node's PostgreSQL, past HAProxy. */
  urlOf(node: Node): string;
  /** How this process and the services appear to the nodes. */
  readonly ownAddress: string;
  /** What Patroni knows, as any node that answers says. */
  members(): Promise<readonly Member[]>;
  /**
   * Resolves with the leader when Patroni has one, so many nodes take part, all standbys receive what it writes, and one of them is
   * synchronous. Patroni 3.0.2 lists a standby that receives nothing as running, too.
   */
  healthy(count?: number): Promise<Node>;
  leader(): Promise<Node>;
  synchronousStandby(): Promise<Node>;
  /** Runs patronictl on a node, with the template as its configuration. */
  control(node: Node, ...args: readonly string[]): Promise<string>;
  /** All that Patroni and PostgreSQL have written on all nodes. */
  readonly log: string;
  /** The last lines of all programs, for messages. */
  output(): string;
};

/**
 * Starts three machines, each with etcd, Patroni and PostgreSQL, and HAProxy before them, from the files of `deploy/patroni` as they are. What
 * differs between nodes is in their environment, as an operator sets it.
 */
export async function startCluster(
  t: TestContext,
  { clocks = false }: { /** Whether the nodes' clocks can be moved. */ clocks?: boolean } = {},
): Promise<Cluster> {
  const { address: ownAddress, machines } = await makeMachines(t, 3);
  const secrets = newSecrets();
  const programs = new Map<string, Child>();
  let log = '';
  const keep = (text: string) => {
    log += text;
  };
  const peers = machines.map(({ address }, i) => `node${i + 1}=http://${address}:2380`).join();
  const hosts = machines.map(({ address }) => `'${address}:2379'`).join();
  const environments = (name: string, address: string) => ({
    etcd: etcdOf(name, address, peers),
    patroni: { ...patroniOf(name, address, hosts), ...secrets.ofPatroni, ...(clocks && MOVABLE_CLOCK) },
  });
  const nodes = machines.map((machine, i): Node => {
    const name = `node${i + 1}`;
    const environment = environments(name, machine.address);
    const startDatabase = async () => {
      const file = await machine.install(`${DEPLOY}patroni.yml`);
      if (clocks) await installClock(machine);
      programs.set(`Patroni of ${name}`, await machine.start('patroni', [file], environment.patroni, keep));
    };
    return {
      name,
      machine,
      startDatabase,
      async restartDatabase() {
        machine.signal('SIGKILL', /patroni|postgres/);
        await startDatabase();
      },
      async boot() {
        programs.set(`etcd of ${name}`, await machine.start('etcd', [], environment.etcd));
        await startDatabase();
      },
      crash: () => void machine.signal('SIGKILL'),
      moveClock: (seconds) => setClock(machine, seconds),
    };
  });
  await Promise.all(nodes.map((node) => node.boot()));
  programs.set('HAProxy', await startProxy(t, ownAddress, machines));

  const nodeOf = ({ name }: Member) => nodes.find((node) => node.name === name)!;
  const output = () => [...programs].map(([name, child]) => `${name}:\n${child.lastOutput()}`).join('\n\n');
  const find = async (role: Member['role']): Promise<Node> => {
    const named = async () => (await membersOf(nodes)).find((member) => member.role === role);
    await until(`there is a ${role}`, async () => (await named()) !== undefined, output);
    // It may have gone again meanwhile.
    const member = await named();
    return member ? nodeOf(member) : find(role);
  };
  const urlTo = (host: string) => `postgres://quarters:${secrets.ofService}@${host}/quarters`;
  const asSuperuser = (host: string) =>
    `postgres://postgres:${secrets.ofPatroni.PATRONI_SUPERUSER_PASSWORD}@${host}/postgres`;
  const cluster: Cluster = {
    nodes,
    ownAddress,
    url: urlTo(`${ownAddress}:5000`),
    replicasUrl: urlTo(`${ownAddress}:5001`),
    urlOf: ({ machine }) => urlTo(`${machine.address}:5432`),
    members: () => membersOf(nodes),
    leader: () => find('leader'),
    synchronousStandby: () => find('sync_standby'),
    async healthy(count = nodes.length) {
      let members: readonly Member[] = [];
      await until(
        `a cluster of ${count}`,
        async () => {
          members = await membersOf(nodes);
          const taking = members.filter(({ state }) => /^(running|streaming)$/.test(state));
          const leader = taking.find(({ role }) => role === 'leader');
          return (
            taking.length >= count &&
            leader !== undefined &&
            taking.some(({ role }) => role === 'sync_standby') &&
            hasStandbys(asSuperuser(`${nodeOf(leader).machine.address}:5432`), count - 1)
          );
        },
        () => `${JSON.stringify(members)}\n${output()}`,
      );
      return nodeOf(members.find(({ role }) => role === 'leader')!);
    },
    control: (node, ...args) => {
      const { patroni } = environments(node.name, node.machine.address);
      const words = Object.entries({ ...patroni, LC_ALL: 'C.UTF-8' }).map(([name, value]) => `${name}=${value}`);
      return node.machine.run('env', ...words, 'patronictl', '--config-file', '/dev/shm/patroni.yml', ...args);
    },
    get log() {
      return log;
    },
    output,
  };
  await cluster.healthy();
  await createDatabase(asSuperuser(`${ownAddress}:5000`), secrets.ofService);
  return cluster;
}

async function startProxy(t: TestContext, address: string, machines: readonly Machine[]): Promise<Child> {
  const targets = machines.map((machine, i) => [`NODE${i + 1}`, machine.address]);
  const child = await startChild({
    command: 'haproxy',
    args: ['-db', '-f', `${DEPLOY}haproxy.cfg`],
    env: { PATH: '/usr/sbin:/usr/bin:/bin', LISTEN: address, ...Object.fromEntries(targets) },
    stopSignal: 'SIGUSR1',
    graceMs: 1_000,
  });
  atEnd(t, () => child.stop({ signal: 'SIGKILL' }));
  return child;
}

/** Asks the nodes what they know, one after the other, until one answers. Empty if none does. */
async function membersOf(nodes: readonly Node[]): Promise<readonly Member[]> {
  for (const { machine } of nodes) {
    try {
      const response = await fetch(`http://${machine.address}:8008/cluster`, { signal: AbortSignal.timeout(2_000) });
      const { members } = (await response.json()) as { members: readonly Member[] };
      return members;
    } catch {
      // It is down or cut off. The next one may answer.
    }
  }
  return [];
}

/** As the page for operators says: a role with no rights but to see which timeline a replica follows, and its own database. */
async function createDatabase(url: string, password: string): Promise<void> {
  let failure: unknown;
  await until(
    'HAProxy leads to the primary',
    async () => {
      const client = new pg.Client({ connectionString: url });
      client.on('error', () => {});
      try {
        await client.connect();
        await client.query(`CREATE ROLE quarters LOGIN PASSWORD '${password}'`);
        await client.query('GRANT pg_monitor TO quarters');
        await client.query('CREATE DATABASE quarters OWNER quarters');
        return true;
      } catch (error) {
        failure = error;
        return false;
      } finally {
        await endClient(client);
      }
    },
    () => failure,
  );
}
