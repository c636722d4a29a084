import { wingsIn } from '../../../src/config/wings.ts';
import { chooseWings, houseOf } from '../../../src/service/house.ts';
import { WINGS } from '../../../src/wings.ts';

/** A house with the wings that a text of the setting `WINGS` chooses. */
export const houseWith = (text: string | undefined) => houseOf(chooseWings(WINGS, wingsIn(text)));

/** With the wings that `QUARTERS_TEST_WINGS` chooses. */
export const HOUSE = houseWith(process.env.QUARTERS_TEST_WINGS);
