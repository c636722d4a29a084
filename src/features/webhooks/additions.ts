import { extensionPoint } from '../../service/house.ts';

/** Who receives a webhook compares the time of its signature with a clock of their own. */
export const RECEIVERS_TIME = extensionPoint<() => Date>(
  'the time by which webhooks are signed, if it is not that of this process',
);
