import { exampleOf } from './environments.ts';
import type { Machine } from './machines.ts';

const BINARIES = exampleOf('node.env.example').PATRONI_POSTGRESQL_BIN_DIR!;
/** A machine whose wall clock can be moved: by how many seconds is in the file `clock`. */
export const MOVABLE_CLOCK = { PYTHONPATH: '/dev/shm', PATRONI_POSTGRESQL_BIN_DIR: '/dev/shm/bin' };

/** Moves the wall clock of everything that starts there from now on, and later by `setClock`. */
export async function installClock(machine: Machine): Promise<void> {
  await setClock(machine, 0);
  await machine.run('mkdir', '-p', '/dev/shm/bin');
  await machine.run('sh', '-c', `ln -sf ${BINARIES}/* /dev/shm/bin/ && rm /dev/shm/bin/postgres`);
  for (const name of ['sitecustomize.py', 'postgres'])
    await machine.install(new URL(`clock/${name}`, import.meta.url).pathname);
  await machine.run('install', '--mode', '755', '/dev/shm/postgres', '/dev/shm/bin/postgres');
}

/** Puts the wall clock so many seconds ahead of the true time. */
export async function setClock(machine: Machine, seconds: number): Promise<void> {
  // Renamed, so nobody reads half of it.
  await machine.run(
    'sh',
    '-c',
    `echo ${seconds < 0 ? seconds : `+${seconds}`} > /dev/shm/new && chmod 644 /dev/shm/new && mv /dev/shm/new /dev/shm/clock`,
  );
}
