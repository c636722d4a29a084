import { parseWings } from '../../../src/config/wings.ts';
import { houseOf } from '../../../src/service/house.ts';
import { WINGS } from '../../../src/wings.ts';
import { ENTRY } from '../run/entry.ts';

/** The tests of the core run without wings. Those that are about what a wing does there name it. */
const OF_THE_CORE = /[\\/]test[\\/](settlement|race|crash|custody|faults|properties)[\\/]/;

/** Which wings the services of this test have, as in the setting `WINGS`. */
export const WINGS_HERE = process.env.QUARTERS_TEST_WINGS ?? (OF_THE_CORE.test(ENTRY) ? 'none' : 'all');

export const houseWith = (text: string) => houseOf(WINGS, parseWings(text));

/** For the core, with an empty list of wings: those that are left out would still forget what they have stored. */
export const HOUSE = WINGS_HERE === 'none' ? houseOf([]) : houseWith(WINGS_HERE);
