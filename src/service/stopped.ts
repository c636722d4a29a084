import { Problem } from '../base/problems.ts';
import type { Settings } from '../config/settings.ts';

/** Whom a refusal names. */
type Help = Pick<Settings, 'supportUrl'>;

/** A frozen user's account pays nothing, and what protects it stays as it is. */
export function accountFrozen(settings: Help): Problem {
  return new Problem('account-frozen', `The account is frozen. ${whoHelps('Its user', settings)}`);
}

/** A suspended app's credentials do nothing, and no quarters move to it or from it. */
export function appSuspended(settings: Help): Problem {
  return new Problem('app-suspended', `The app is suspended. ${whoHelps('Its developer', settings)}`);
}

function whoHelps(who: string, { supportUrl }: Help): string {
  return supportUrl
    ? `${who} can get help at ${supportUrl.replace(/^mailto:/, '')}.`
    : `${who} can ask the operator of this service.`;
}
