import type { Scene } from './scene.ts';
import { ACCOUNT_SCENES } from './scenes/account.ts';
import { APPROVAL_SCENES } from './scenes/approval.ts';
import { CALL_LOG_SCENES } from './scenes/call-log.ts';
import { DESIGN_SCENES } from './scenes/design.ts';
import { DEVELOPER_SCENES } from './scenes/developer.ts';
import { DEVELOPMENT_SCENES } from './scenes/development.ts';
import { ECONOMY_SCENES } from './scenes/economy.ts';
import { GAME_SCENES } from './scenes/games.ts';
import { GUEST_SCENES } from './scenes/guest.ts';
import { MESSAGE_SCENES } from './scenes/messages.ts';
import { OPERATOR_SCENES } from './scenes/operator.ts';
import { OPERATOR_ACTION_SCENES } from './scenes/operator-actions.ts';
import { OPERATOR_ENTITY_SCENES } from './scenes/operator-entities.ts';
import { OPERATOR_LOG_SCENES } from './scenes/operator-log.ts';
import { OVERVIEW_SCENES } from './scenes/overview.ts';
import { SIGN_IN_SCENES } from './scenes/sign-in.ts';
import { STOPPED_SCENES } from './scenes/stopped.ts';
import { WEBHOOK_SCENES } from './scenes/webhooks.ts';

/** The pages in the language of their reader. */
export const PLAYERS_SCENES: readonly Scene[] = [
  ...APPROVAL_SCENES,
  ...GUEST_SCENES,
  ...SIGN_IN_SCENES,
  ...MESSAGE_SCENES,
  ...ACCOUNT_SCENES,
  ...STOPPED_SCENES,
];

/** Every page of Quarters, in every state that looks different. */
export const SCENES: readonly Scene[] = [
  ...DESIGN_SCENES,
  ...PLAYERS_SCENES,
  ...GAME_SCENES,
  ...DEVELOPER_SCENES,
  ...OVERVIEW_SCENES,
  ...CALL_LOG_SCENES,
  ...WEBHOOK_SCENES,
  ...OPERATOR_SCENES,
  ...OPERATOR_ENTITY_SCENES,
  ...OPERATOR_LOG_SCENES,
  ...ECONOMY_SCENES,
  ...OPERATOR_ACTION_SCENES,
  ...DEVELOPMENT_SCENES,
];
