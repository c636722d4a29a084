import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';

export const DEPLOY = new URL('../../deploy/patroni/', import.meta.url).pathname;

/** New passwords of all roles. */
export function newSecrets() {
  const secret = () => randomBytes(16).toString('hex');
  return {
    ofPatroni: {
      PATRONI_RESTAPI_PASSWORD: secret(),
      PATRONI_SUPERUSER_PASSWORD: secret(),
      PATRONI_REPLICATION_PASSWORD: secret(),
      PATRONI_REWIND_PASSWORD: secret(),
    },
    ofService: secret(),
  };
}

/** What an operator writes into the environment of one member of etcd. */
export function etcdOf(name: string, address: string, peers: string): Record<string, string> {
  return {
    ...exampleOf('etcd.env.example'),
    ETCD_NAME: name,
    ETCD_DATA_DIR: '/dev/shm/etcd',
    ETCD_LISTEN_CLIENT_URLS: `http://${address}:2379`,
    ETCD_ADVERTISE_CLIENT_URLS: `http://${address}:2379`,
    ETCD_LISTEN_PEER_URLS: `http://${address}:2380`,
    ETCD_INITIAL_ADVERTISE_PEER_URLS: `http://${address}:2380`,
    ETCD_INITIAL_CLUSTER: peers,
  };
}

/** What an operator writes into the environment of one node's Patroni, but the passwords. */
export function patroniOf(name: string, address: string, hosts: string): Record<string, string> {
  return {
    ...exampleOf('node.env.example'),
    PATRONI_NAME: name,
    PATRONI_RESTAPI_LISTEN: `${address}:8008`,
    PATRONI_RESTAPI_CONNECT_ADDRESS: `${address}:8008`,
    PATRONI_POSTGRESQL_LISTEN: `${address}:5432`,
    PATRONI_POSTGRESQL_CONNECT_ADDRESS: `${address}:5432`,
    PATRONI_POSTGRESQL_DATA_DIR: '/dev/shm/data',
    PATRONI_POSTGRESQL_PGPASS: '/dev/shm/pgpass',
    PATRONI_ETCD_HOSTS: hosts,
  };
}

/** Reads a file of environment variables, as systemd does. */
export function exampleOf(name: string): Record<string, string> {
  const lines = readFileSync(`${DEPLOY}${name}`, 'utf8').matchAll(/^([A-Z0-9_]+)="?(.*?)"?$/gm);
  return Object.fromEntries([...lines].map(([, name, value]) => [name!, value!]));
}
