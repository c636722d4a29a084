/** One measured figure. `name` is the same in every run, and the runs' median is printed. */
export type Figure = {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** The limit that the same run measured for it, in the same unit. */
  readonly limit?: { readonly name: string; readonly value: number };
  /** What the project wants of it. */
  readonly target?: string;
  /** Why it misses that, if it is known: sentences for readers of the figures. */
  readonly whyMissed?: string;
};

export type Effort = {
  /** Seconds of load in each measurement. */
  readonly seconds: number;
  /** A short look: fewer users, shorter warm-up. */
  readonly quick: boolean;
};

/** Something the service is said to do. `measure` runs it once and throws if a result is wrong, never because it is slow. */
export type Claim = {
  readonly name: string;
  readonly title: string;
  /** How it is measured: sentences for readers of the figures. */
  readonly method: string;
  readonly measure: (effort: Effort) => Promise<readonly Figure[]>;
};
