import type { UserId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import { DISPLAY_NAME_FAULT, displayNameFrom } from '../../identity/display-name.ts';
import { renameUser } from '../../identity/users.ts';
import type { Service } from '../../settlement/service.ts';

/** Changes the player's name that games see. Throws `invalid-input`. */
export async function changeName({ db }: Pick<Service, 'db'>, userId: UserId, text: string): Promise<void> {
  const name = displayNameFrom(text);
  if (!name) {
    throw new Problem('invalid-input', DISPLAY_NAME_FAULT, [{ pointer: '/name', detail: DISPLAY_NAME_FAULT }]);
  }
  await renameUser(db, userId, name);
}
