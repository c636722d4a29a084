// One round: taps in, pictures and sounds out. rules.js decides what happens, sixty times a second on any screen.

import { picture } from './drawing.js';
import { newRound, step, TICKS_PER_SECOND } from './rules.js';

const TICK_MS = 1000 / TICKS_PER_SECOND;
/** After a slow moment the game catches up with no more than this: it slows down instead of being unfair. */
const MOST_BEHIND_MS = 100;
const FAREWELL_MS = 900;
const KEYS = [' ', 'Enter', 'ArrowUp', 'ArrowLeft', 'ArrowRight'];

/** Plays a round on the canvas; resolves with its score and the ticks at which the player tapped. */
export function play(canvas, { seed, shield }, sound) {
  const round = newRound(seed, shield);
  const draw = picture(canvas);
  const taps = [];
  let tapped = false;
  const stopListening = listen(canvas, () => {
    tapped = true;
  });

  return new Promise((resolve) => {
    let last = null;
    let behind = 0;
    let endedAt = null;
    function frame(now) {
      behind += Math.min(now - (last ?? now), MOST_BEHIND_MS);
      last = now;
      for (; behind >= TICK_MS; behind -= TICK_MS) {
        step(round, tapped);
        if (tapped && round.events.length > 0) taps.push(round.tick);
        tapped = false;
        draw.happened(round);
        round.events.forEach(sound);
      }
      draw.frame(round, round.over ? 0 : behind / TICK_MS);
      if (round.over) endedAt ??= now;
      if (endedAt === null || now - endedAt < FAREWELL_MS) return void requestAnimationFrame(frame);
      stopListening();
      resolve({ score: round.score, taps });
    }
    requestAnimationFrame(frame);
  });
}

/** A still picture of the game, behind the first panel. */
export function showStill(canvas) {
  const round = newRound(11, false);
  for (let tick = 0; tick < 70; tick++) step(round, tick === 60);
  picture(canvas).frame(round, 0);
}

function listen(canvas, tap) {
  const pressed = (event) => {
    event.preventDefault();
    canvas.focus({ preventScroll: true });
    tap();
  };
  const key = (event) => {
    if (!KEYS.includes(event.key) || event.target.closest?.('button, a')) return;
    event.preventDefault();
    if (!event.repeat) tap();
  };
  canvas.addEventListener('pointerdown', pressed);
  document.addEventListener('keydown', key);
  return () => {
    canvas.removeEventListener('pointerdown', pressed);
    document.removeEventListener('keydown', key);
  };
}
