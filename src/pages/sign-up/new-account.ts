import { DISPLAY_NAME_FAULT, displayNameFrom } from '../../identity/display-name.ts';
import { passwordFault } from '../../identity/password-rules.ts';
import { parameter } from '../../web/request-parameters.ts';

/** The fields of a new account's form, or what is wrong with them. */
export type NewAccount =
  | { readonly kind: 'complete'; readonly displayName: string; readonly password: string }
  | {
      readonly kind: 'faulty';
      readonly displayName: string;
      readonly errors: { readonly displayName?: string; readonly password?: string };
    };

/** `email`: the proven address. */
export async function readNewAccount(form: unknown, email: string): Promise<NewAccount> {
  const typed = parameter(form, 'display_name') ?? '';
  const password = parameter(form, 'password') ?? '';
  const displayName = displayNameFrom(typed);
  const fault = await passwordFault(password, { email, displayName: displayName ?? '' });
  if (displayName !== null && fault === null) return { kind: 'complete', displayName, password };
  return {
    kind: 'faulty',
    displayName: typed,
    errors: {
      ...(displayName === null && { displayName: DISPLAY_NAME_FAULT }),
      ...(fault !== null && { password: fault }),
    },
  };
}

export const WRONG_CODE = 'Wrong or expired code. Try again or request a new one.';

/** The mail with the code for a new account. It is the same if the address already has an account. */
export function codeMail(code: string): { subject: string; text: string } {
  return {
    subject: `${code} is your Quarters code`,
    text: `Your code is ${code}. Enter it on the page where you gave this address. It expires in 10 minutes.

Never share it, not even with us. If it wasn’t you, ignore this e-mail.
`,
  };
}
