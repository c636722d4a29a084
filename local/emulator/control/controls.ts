import { APP_CONTROLS } from './apps.ts';
import type { Control } from './control.ts';
import { HAPPENED_CONTROLS } from './happened.ts';
import { STATE_CONTROLS } from './state.ts';

/** All operations of the control API. */
export const CONTROLS: readonly Control[] = [...STATE_CONTROLS, ...HAPPENED_CONTROLS, ...APP_CONTROLS];
