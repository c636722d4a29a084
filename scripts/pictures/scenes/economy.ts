import { type Scene, scenesOf } from '../scene.ts';
import type { World } from '../world.ts';

const path = ({ origin }: World, rest = '') => `${origin}/operator${rest}`;

const ECONOMY: Record<string, Scene['open']> = {
  'economy, a month': (page, world) => page.goto(path(world)),
  'economy, a day': (page, world) => page.goto(path(world, '?period=day')),
  'economy, an empty month': (page, world) => page.goto(path(world, '?period=month&at=2020-01')),
  'economy, top spenders': (page, world) => page.goto(path(world, '/economy/spenders')),
  'economy, an app': (page, world) => page.goto(path(world, `/economy/apps/${world.busy.app.id}`)),
  statements: (page, world) => page.goto(path(world, '/statements')),
  statement: (page, world) => page.goto(path(world, `/statements/${world.busy.app.id}`)),
};

export const ECONOMY_SCENES: readonly Scene[] = scenesOf('operator', ECONOMY, { as: ({ operator }) => operator });
