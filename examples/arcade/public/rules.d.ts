export declare const TICKS_PER_SECOND: number;

export type Thing = {
  kind: 'spike' | 'star' | 'blade';
  at: number;
  x?: number;
  left?: boolean;
  done: boolean;
};

export type Round = {
  tick: number;
  score: number;
  shield: boolean;
  over: boolean;
  things: Thing[];
};

export declare function winnings(score: number): number;
export declare function newRound(seed: number, shield: boolean): Round;
export declare function step(round: Round, tapped: boolean): void;
export declare function replay(
  seed: number,
  shield: boolean,
  taps: readonly number[],
): { score: number; ticks: number };
