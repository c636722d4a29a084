import { wingsIn } from '../../../src/config/wings.ts';
import { houseOf } from '../../../src/service/house.ts';
import { WINGS } from '../../../src/wings.ts';
import { ENTRY } from '../run/entry.ts';

/** The tests of the core run without wings. Those that are about what a wing does there name it. */
const OF_THE_CORE = /[\\/]test[\\/](settlement|race|crash|custody|faults|properties)[\\/]/;

/** Which wings the services of this test have, as in the setting `WINGS`. */
export const WINGS_HERE = process.env.QUARTERS_TEST_WINGS ?? (OF_THE_CORE.test(ENTRY) ? 'none' : 'all');

export const houseWith = (text = WINGS_HERE) => houseOf(WINGS, wingsIn(text));

export const HOUSE = houseWith();
