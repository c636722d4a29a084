// The rules of the game, as plain arithmetic on numbers: the same taps on the same seed give the same round everywhere, in the
// player's browser and again on the arcade's server, which believes no score it has not worked out itself.

export const TICKS_PER_SECOND = 60;
export const FIELD = { width: 360, height: 600, wall: 24, coinY: 460, coin: 14 };
export const SPIKE = { deep: 44, half: 24 };
export const BLADE = { half: 34 };
/** A round ends after five minutes at the latest. */
export const MAX_TICKS = 5 * 60 * TICKS_PER_SECOND;

const LEFT = FIELD.wall + FIELD.coin;
const RIGHT = FIELD.width - LEFT;
const MIDDLE = FIELD.width / 2;
const FLIP_SPEED = 13;
/** How much smaller than its picture the coin is when it touches something: a near miss feels lucky, not unfair. */
const MERCY = 5;
const REACH = FIELD.coin - MERCY;
const SHIELDED_TICKS = 75;

/** Quarters a round wins back. */
export function winnings(score) {
  return Math.min(50, Math.floor(score / 10) * 5);
}

/**
 * A round before its first tick. `at` of a thing is the distance at which it meets the coin.
 * @param {number} seed
 * @param {boolean} shield
 */
export function newRound(seed, shield) {
  return {
    random: seed >>> 0,
    tick: 0,
    distance: 0,
    speed: 3.4,
    x: LEFT,
    direction: -1,
    shield,
    safeUntil: 0,
    score: 0,
    over: false,
    things: [],
    nextAt: 420,
    /** What happened in the last tick, for eyes and ears. */
    events: [],
  };
}

/** One sixtieth of a second. */
export function step(round, tapped) {
  round.events = [];
  if (round.over) return;
  round.tick += 1;
  if (tapped) {
    round.direction = -round.direction;
    round.events.push('flip');
  }
  round.x = Math.min(RIGHT, Math.max(LEFT, round.x + round.direction * FLIP_SPEED));
  round.speed = Math.min(7.2, 3.4 + round.tick * 0.0015);
  round.distance += round.speed;
  while (round.nextAt < round.distance + FIELD.height) layRow(round);
  for (const thing of round.things) if (!thing.done) meet(round, thing);
  round.things = round.things.filter(({ at }) => at > round.distance - FIELD.height);
  if (round.tick >= MAX_TICKS) end(round);
}

/** Works out a whole round. `taps`: the ticks at which the player tapped, rising. */
export function replay(seed, shield, taps) {
  const round = newRound(seed, shield);
  const tapped = new Set(taps);
  while (!round.over) step(round, tapped.has(round.tick + 1));
  return { score: round.score, ticks: round.tick };
}

function end(round) {
  round.over = true;
  round.events.push('end');
}

/** Lays what comes next; far enough from the row before it that there is always a way through. */
function layRow(round) {
  const gap = 118 + round.speed * 10;
  const at = round.nextAt;
  const left = random(round) < 0.5;
  round.things.push({ kind: 'spike', at, left, done: false });
  const luck = random(round);
  if (luck < 0.3) lay(round, 'star', at, left ? RIGHT : LEFT);
  else if (luck < 0.5) lay(round, 'star', at + gap / 2, random(round) < 0.5 ? LEFT : RIGHT);
  else if (luck < 0.62) lay(round, 'star', at + gap / 2, MIDDLE);
  else if (luck < 0.85 && round.tick > 12 * TICKS_PER_SECOND) lay(round, 'blade', at + gap / 2, MIDDLE);
  round.nextAt += gap;
}

function lay(round, kind, at, x) {
  round.things.push({ kind, at, x, done: false });
}

function meet(round, thing) {
  const away = Math.abs(thing.at - round.distance);
  if (thing.kind === 'star') {
    if (away > 28 || Math.abs(thing.x - round.x) > 28) return;
    thing.done = true;
    score(round, thing);
  } else if (touches(round, thing, away)) {
    if (round.tick < round.safeUntil) return;
    if (!round.shield) return end(round);
    round.shield = false;
    round.safeUntil = round.tick + SHIELDED_TICKS;
    round.events.push('shield');
  } else if (thing.kind === 'spike' && thing.at < round.distance - SPIKE.half - FIELD.coin) {
    thing.done = true;
    score(round, thing);
  }
}

function score(round, { kind }) {
  round.score += 1;
  round.events.push(kind === 'star' ? 'star' : 'pass');
}

function touches({ x }, thing, away) {
  if (thing.kind === 'blade') return Math.abs(x - thing.x) < BLADE.half + REACH && away < 10 + REACH;
  const fromWall = thing.left ? x - FIELD.wall : FIELD.width - FIELD.wall - x;
  // A triangle: the farther from its middle, the less deep.
  const deep = SPIKE.deep * (1 - away / (SPIKE.half + REACH));
  return deep > 0 && fromWall < deep + REACH;
}

/** The next number from 0 to 1 (mulberry32). */
function random(round) {
  round.random = (round.random + 0x6d2b79f5) >>> 0;
  let mixed = round.random;
  mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
}
