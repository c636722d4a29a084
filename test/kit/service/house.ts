import { wingsIn } from '../../../src/config/wings.ts';
import { chooseWings, houseOf } from '../../../src/service/house.ts';
import { WINGS } from '../../../src/wings.ts';

/** With the wings that `QUARTERS_TEST_WINGS` chooses. */
export const HOUSE = houseOf(chooseWings(WINGS, wingsIn(process.env.QUARTERS_TEST_WINGS)));
