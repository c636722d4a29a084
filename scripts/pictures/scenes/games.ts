import type { Page } from 'playwright-core';
import { playRound } from '../../../test/kit/browser/bot.ts';
import { ourFrame } from '../../../test/kit/browser/game-page.ts';
import { press, type Scene, scenesOf } from '../scene.ts';
import type { World } from '../world.ts';

/** The arcade after a round, in which a player has won quarters. */
async function play(page: Page, world: World) {
  await page.clock.install();
  await page.goto(world.arcade.origin);
  await playRound(page, 12, () => world.arcade.passTime(60));
  await page.getByText('You won').waitFor();
}

const SCENES: Record<string, Scene['open']> = {
  arcade: (page, world) => page.goto(world.arcade.origin),
  'arcade, a round was played': play,
  'arcade, the dialog of the browser script': async (page, world) => {
    await play(page, world);
    await press(page, /Buy a shield/);
    await ourFrame(page);
  },
  'arcade, paid': async (page, world) => {
    await play(page, world);
    await press(page, /Buy a shield/);
    await press((await ourFrame(page)) as unknown as Page, 'Approve');
    await page.getByRole('button', { name: 'Shield ready' }).waitFor();
  },
};

export const GAME_SCENES: readonly Scene[] = scenesOf('games', SCENES, { screenOnly: true });
