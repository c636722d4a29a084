import { wingsIn } from '../../../src/config/wings.ts';
import { houseOf } from '../../../src/service/house.ts';
import { WINGS } from '../../../src/wings.ts';

/** With the wings that a setting `WINGS` chooses, or else those that `QUARTERS_TEST_WINGS` chooses. */
export const houseWith = (wings = process.env.QUARTERS_TEST_WINGS) => houseOf(WINGS, wingsIn(wings));

export const HOUSE = houseWith();
