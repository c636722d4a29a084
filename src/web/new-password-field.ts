import { MIN_PASSWORD_CHARACTERS } from '../identity/password-rules.ts';
import { field } from './fields.ts';
import type { Markup } from './layout.ts';

const RULES = `At least ${MIN_PASSWORD_CHARACTERS} characters, and not your name, your e-mail address or a common password. A few unrelated words are good.`;

/** Where a password is set. PASSWORD_SCRIPT shows how strong it is; without scripts the rules are said, and the server decides. */
export function newPasswordField({ label, error }: { label: string; error: string | undefined }): Markup {
  return field({ name: 'password', label, type: 'password', autocomplete: 'new-password', hint: RULES, error });
}
