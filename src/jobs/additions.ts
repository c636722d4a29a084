import type { KeptRows } from '../db/keep-until.ts';
import { extensionPoint, type Load } from '../service/house.ts';
import type { Service } from '../service/service.ts';
import type { Loop } from './repeat.ts';

/** `turn`: when the loop of this place begins, in milliseconds. All at once would take a connection each. */
export type AddLoops = (service: Service, turn: (place: number) => number) => readonly Loop[];

export const LOOPS = extensionPoint<Load<AddLoops>>('loops of a service');

/** A limited piece of work. Resolves with true if more is left. */
export type Chore = (service: Service) => Promise<boolean>;

/** By name. */
export const CHORES = extensionPoint<Load<Readonly<Record<string, Chore>>>>('chores, each in a loop of its own');

/** By the loop that forgets them. docs/operate/kept.md is made from them. */
export const KEPT = extensionPoint<Load<Readonly<Record<string, readonly KeptRows[]>>>>(
  'rows that are kept for a limited time',
  { evenLeftOut: true },
);
