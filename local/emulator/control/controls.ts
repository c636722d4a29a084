import { APP_CONTROLS } from './apps.ts';
import type { Control } from './control.ts';
import { STATE_CONTROLS } from './state.ts';
import { TIME_CONTROLS } from './time.ts';

/** All operations of the control API. */
export const CONTROLS: readonly Control[] = [...STATE_CONTROLS, ...TIME_CONTROLS, ...APP_CONTROLS];
