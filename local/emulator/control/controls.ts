import { APP_CONTROLS } from './apps.ts';
import { CHAIN_CONTROLS } from './chain.ts';
import type { Control } from './control.ts';
import { HAPPENED_CONTROLS } from './happened.ts';
import { OUTCOME_CONTROLS } from './outcomes.ts';
import { PLAYER_CONTROLS } from './players.ts';
import { STATE_CONTROLS } from './state.ts';
import { TIME_CONTROLS } from './time.ts';
import { WEBHOOK_CONTROLS } from './webhooks.ts';

/** All operations of the control API. */
export const CONTROLS: readonly Control[] = [
  ...STATE_CONTROLS,
  ...HAPPENED_CONTROLS,
  ...TIME_CONTROLS,
  ...APP_CONTROLS,
  ...PLAYER_CONTROLS,
  ...CHAIN_CONTROLS,
  ...OUTCOME_CONTROLS,
  ...WEBHOOK_CONTROLS,
];
