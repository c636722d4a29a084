import { type Scene, scenesOf } from '../scene.ts';

const SCENES: Record<string, Scene['open']> = {
  operators: (page, { origin }) => page.goto(`${origin}/operator/operators`),
};

export const OPERATOR_SCENES: readonly Scene[] = scenesOf('operator', SCENES, { as: ({ operator }) => operator });
