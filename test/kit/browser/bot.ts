import type { Page } from 'playwright-core';
import { newRound, type Round, step } from '../../../examples/arcade/public/rules.js';
import { comes } from './browser.ts';

const LOOK_AHEAD_TICKS = 70;
const FOLLOWED_TICKS = 6;
/** Taps to come, in ticks from now: the first of these that lives as long as the bot looks ahead is what it does, else the longest. */
const PLANS: readonly number[][] = [[], [0], [0, 12], [0, 22], [6], [12], [18], [24]];

/** Plays by looking ahead until it has so many points, then taps no more, and so meets a spike soon. */
export function plannedTaps(seed: number, shield: boolean, points: number): number[] {
  const round = newRound(seed, shield);
  const taps: number[] = [];
  while (!round.over && round.score < points) {
    let [best, longest] = [PLANS[0]!, 0];
    for (const plan of PLANS) {
      const lived = survived(round, plan) - round.tick;
      if (lived > longest) [best, longest] = [plan, lived];
      if (lived === LOOK_AHEAD_TICKS) break;
    }
    // A plan that lives to the end of what is seen is followed for a while; of another one only the next tick is sure.
    const follow = longest === LOOK_AHEAD_TICKS ? FOLLOWED_TICKS : 1;
    for (let tick = 0; tick < follow && !round.over && round.score < points; tick++) {
      const tapped = best.includes(tick);
      if (tapped) taps.push(round.tick + 1);
      step(round, tapped);
    }
  }
  return taps;
}

function survived(now: Round, plan: readonly number[]): number {
  const round = { ...now, things: now.things.map((thing) => ({ ...thing })) };
  for (let tick = 0; tick < LOOK_AHEAD_TICKS && !round.over; tick++) step(round, plan.includes(tick));
  return round.tick;
}

const FRAME_MS = 16;
const TICK_MS = 1000 / 60;

/**
 * Plays a round in the page, whose clock (`page.clock`, installed) stands still but for us, with real taps, until it is over.
 * The page's loop is followed frame by frame, so that each tap falls into the tick it was planned for. `begun`: called when the
 * server has begun the round.
 */
export async function playRound(page: Page, points: number, begun: () => void): Promise<void> {
  // Further than a busy machine comes until then: a clock is not put back.
  await page.clock.pauseAt((await page.evaluate<number>('Date.now()')) + 60_000);
  const started = page.waitForResponse((response) => response.url().endsWith('/api/rounds'));
  await page.getByRole('button', { name: /^Play/ }).click();
  const { seed, shield } = (await (await comes('the server begins a round', started)).json()) as {
    seed: number;
    shield: boolean;
  };
  begun();
  await page.locator('#panel').waitFor({ state: 'hidden' });
  const box = (await page.locator('#field').boundingBox())!;
  const touch = await page.evaluate<boolean>('"ontouchstart" in window');
  // The first frame only looks at the clock.
  await page.clock.runFor(FRAME_MS);
  let [tick, behind] = [0, 0];
  for (const tap of plannedTaps(seed, shield, points)) {
    let frames = 0;
    // Up to the last frame before the one that holds the tap's tick.
    while (tick + Math.floor((behind + FRAME_MS) / TICK_MS) < tap) {
      frames += 1;
      behind += FRAME_MS;
      for (; behind >= TICK_MS; behind -= TICK_MS) tick += 1;
    }
    await page.clock.runFor(frames * FRAME_MS);
    if (touch) await page.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 2);
    else await page.keyboard.press(' ');
  }
  const ended = page.waitForResponse((response) => response.url().endsWith('/api/rounds/end'));
  // A spike on the coin's own side is not far, and a round ends after five minutes at the latest.
  while (await page.locator('#panel').isHidden()) await page.clock.runFor(1000);
  await page.clock.resume();
  // What it won is on its way by then.
  await comes('the server ends the round', ended);
}
