import { finalBlockAfterPayments } from '../../../test/kit/service/publishing-at.ts';
import { type Scene, scenesOf } from '../scene.ts';

const SCENES: Record<string, Scene['open']> = {
  'account page': (page, { origin }) => page.goto(`${origin}/account`),
  operators: (page, { origin }) => page.goto(`${origin}/operator/operators`),
  liabilities: (page, { origin }) => page.goto(`${origin}/operator/liabilities`),
  'liabilities, publish': async (page, world) => {
    await finalBlockAfterPayments(world);
    await page.goto(`${world.origin}/operator/liabilities/publish`);
  },
};

export const OPERATOR_SCENES: readonly Scene[] = scenesOf('operator', SCENES, { as: ({ operator }) => operator });
