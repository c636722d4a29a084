import { DISPLAY_NAME_FAULT, displayNameFrom } from '../../identity/display-name.ts';
import { passwordFault } from '../../identity/password-rules.ts';
import { parameter } from '../../web/arrival.ts';

/** What a new account's form said; where something is wrong with it, what. */
export type NewAccount =
  | { readonly kind: 'complete'; readonly displayName: string; readonly password: string }
  | {
      readonly kind: 'faulty';
      readonly displayName: string;
      readonly errors: { readonly displayName?: string; readonly password?: string };
    };

/** `email`: the address that was proved. */
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

export const WRONG_CODE = 'That code is wrong, or was tried too often. Have a new one sent, or look again.';

/** The mail with the code of a new account; the same whether or not the address has one. */
export function codeMail(code: string): { subject: string; text: string } {
  return {
    subject: `${code} is your Quarters code`,
    text: `Your code is ${code}. Type it on the page where you gave this address, within 10 minutes.

If that was not you, do nothing: without the code nothing happens. Tell it nobody, not even us.
`,
  };
}
