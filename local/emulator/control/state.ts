import type { Emulator } from '../emulator.ts';
import { AT_THE_START } from '../kept-rows.ts';
import { Refused } from '../refused.ts';
import { type Control, object } from './control.ts';

const NAME = { type: 'string', pattern: '^[\\w.-]{1,40}$' };

const STATE = object(
  {
    url: { type: 'string', description: 'The origin of the service' },
    now: { type: 'string', format: 'date-time' },
    frozen: { type: 'boolean' },
    block: { type: 'integer' },
    reachable: { type: 'boolean', description: 'Whether the service reaches its node' },
    blocks: { oneOf: [{ enum: ['instant', 'manual'] }, { type: 'integer', description: 'Milliseconds' }] },
    snapshots: { type: 'array', items: NAME },
  },
  ['url', 'now', 'frozen', 'block', 'reachable', 'blocks', 'snapshots'],
);

async function stateOf({ world, snapshots, url }: Emulator) {
  return {
    url,
    now: new Date(world.time.now()).toISOString(),
    frozen: world.time.state().frozenAt !== null,
    reachable: world.gate.isOpen,
    block: Number(await world.rpc.call<string>('eth_blockNumber', [])),
    blocks: world.blocks.mode(),
    snapshots: snapshots.names(),
  };
}

export const STATE_CONTROLS: readonly Control[] = [
  {
    operationId: 'readState',
    method: 'GET',
    path: '/state',
    says: 'The clock, the chain and the snapshots.',
    result: STATE,
    run: stateOf,
  },
  {
    operationId: 'reset',
    method: 'POST',
    path: '/reset',
    says: 'Goes back to a snapshot, or to the state after the start. Calls under way have a second to end; new ones wait.',
    input: object({ to: NAME }),
    run: (emulator, { to }: { to?: string }) => emulator.reset(to),
  },
  {
    operationId: 'takeSnapshot',
    method: 'POST',
    path: '/snapshots',
    says: 'Keeps the state under a name, once every payment is settled.',
    input: object({ name: NAME }, ['name']),
    run: async ({ snapshots, deliveries }, { name }: { name: string }) => {
      // A game that takes an event may call the service, which does not answer meanwhile.
      if (name === AT_THE_START)
        throw new Refused(`The state after the start is kept as "${name}": take another name.`);
      await deliveries.delivered();
      await snapshots.take(name);
      return undefined;
    },
  },
  {
    operationId: 'settle',
    method: 'POST',
    path: '/settle',
    says: 'Answers when no payment is on its way and the ledger has the newest block.',
    run: async ({ world }) => {
      await world.settled();
      return undefined;
    },
  },
];
