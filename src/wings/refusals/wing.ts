import type { Wing } from '../../service/house.ts';

export const refusals: Wing = {
  name: 'refusals',
  says: 'Counts the payments that were refused, and why.',
  mount() {},
};
