import { MIN_PASSWORD_CHARACTERS } from '../identity/password-rules.ts';
import { field } from './fields.ts';
import type { Markup } from './layout.ts';

const RULES = `Use at least ${MIN_PASSWORD_CHARACTERS} characters. Avoid your name, your e-mail address and common passwords. A few unrelated words work well.`;

/** The field for a new password. PASSWORD_SCRIPT shows its strength, the hint says the rules, and the server decides. */
export function newPasswordField({ label, error }: { label: string; error: string | undefined }): Markup {
  return field({ name: 'password', label, type: 'password', autocomplete: 'new-password', hint: RULES, error });
}
