import { wingsIn } from '../../../src/config/wings.ts';
import { houseOf } from '../../../src/service/house.ts';
import { WINGS } from '../../../src/wings.ts';

/** A house with the wings that a text of the setting `WINGS` chooses, or else `QUARTERS_TEST_WINGS`. */
export const houseWith = (text = process.env.QUARTERS_TEST_WINGS) => houseOf(WINGS, wingsIn(text));

export const HOUSE = houseWith();
