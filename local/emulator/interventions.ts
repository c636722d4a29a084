import { OPERATION_HOOKS } from '../../src/api/additions.ts';
import { DELIVERY_GATES, DELIVERY_PACE } from '../../src/features/webhooks/additions.ts';
import { type House, houseOf } from '../../src/service/house.ts';
import { openOutcomes } from './outcomes/outcomes.ts';
import { openDeliveryControl } from './webhooks/delivery-control.ts';
import type { World } from './world.ts';

/** What the emulator does to calls and to events, by additions that the service of this emulator alone has. */
export function openInterventions(house: House) {
  const [outcomes, deliveries] = [openOutcomes(), openDeliveryControl()];
  const own = houseOf([
    {
      name: 'of this emulator',
      mount({ add }) {
        add(OPERATION_HOOKS, outcomes.hooks);
        add(DELIVERY_GATES, deliveries.gate);
        add(DELIVERY_PACE, { looksApartMs: 2, recordedTogetherMs: 1 });
      },
    },
  ]);
  const ownHouse: House = { ...house, of: (point) => [...house.of(point), ...own.of(point)] };
  return {
    outcomes,
    deliveries,
    ownHouse,
    startIn(world: World) {
      outcomes.startIn(world);
      deliveries.startIn(world);
    },
  };
}
