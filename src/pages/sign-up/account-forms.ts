import { html } from 'hono/html';
import { EMAIL_CODE_MINUTES } from '../../identity/email-codes.ts';
import { passwordFault } from '../../identity/password-rules.ts';
import { DISPLAY_NAME_FAULT, displayNameFrom, readableEmail } from '../../identity/users.ts';
import { field, hidden, newPasswordField } from '../../web/fields.ts';
import type { Markup } from '../../web/layout.ts';
import { pageHead } from '../../web/page-head.ts';
import { parameter } from '../../web/request-parameters.ts';
import { shownEmail } from '../../web/shown-email.ts';
import { reasonText, type Words } from '../../words/words.ts';

/** Where a form is sent, and its hidden fields. */
export type Target = {
  readonly action: string;
  readonly hidden: Readonly<Record<string, string | undefined>>;
  readonly id?: string;
};

function form({ action, hidden: carried, id }: Target, content: Markup): Markup {
  return html`<form method="post" action="${action}"${id && html` id="${id}"`}>
${Object.entries(carried).map(([name, value]) => hidden(name, value))}${content}
</form>`;
}

export type EmailForm = Target & {
  readonly email?: string | undefined;
  readonly error?: string | undefined;
  /** The page has a button that comes first. */
  readonly isSecond?: true;
};

/** The first step to an account asks for the address that gets the code. */
export function emailForm({ fields, signUp }: Words, { email, error, isSecond, ...target }: EmailForm): Markup {
  return form(
    target,
    html`${field({ name: 'email', label: fields.email, type: 'email', autocomplete: 'email', value: email && readableEmail(email), error })}
<button class="${isSecond ? 'secondary' : 'primary'}">${signUp.send}</button>`,
  );
}

export type CodeForm = {
  readonly email: string;
  readonly check: Target;
  /** Sends a new code to the same address. */
  readonly again: Target;
  /** Where the mail is, if it is not sent (`mailFolderToShow`). */
  readonly mailFolder: string | null;
  readonly error?: string | undefined;
  /** The mail server has refused the last mail to this address. */
  readonly isRefused?: boolean | undefined;
};

/** The second step asks for the six digits. */
export function codeForms(
  words: Words,
  { email, check, again, mailFolder, error, isRefused = false }: CodeForm,
): Markup {
  const { signUp } = words;
  const address = html`<strong>${shownEmail(email)}</strong>`;
  return html`${pageHead(words, signUp.codeTitle, { sign: 'mail', step: [2, 3] })}
${
  isRefused
    ? html`<p class="notice bad" role="alert">${signUp.mailRefused(address)}</p>`
    : html`<p>${signUp.codeSent(address, EMAIL_CODE_MINUTES)}</p>`
}
${form(
  check,
  html`${field({ name: 'code', label: signUp.code, autocomplete: 'one-time-code', inputmode: 'numeric', maxlength: 12, error })}
<button class="primary">${signUp.continue}</button>`,
)}
${!isRefused && whereMailIs(words, mailFolder)}
${form(again, html`<button class="secondary">${signUp.sendAgain}</button>`)}`;
}

/** Below a form that asks for a mailed code. `folder`: where the mail is, if it is not sent. */
export function whereMailIs({ signUp }: Words, folder: string | null): Markup {
  const says = folder === null ? signUp.checkSpam : signUp.mailIn(html`<code>${folder}</code>`);
  return html`<p class="hint">${says}</p>`;
}

export type FinishForm = Target & {
  /** Replaces the form once it was sent, if the page stays. */
  readonly after?: Markup | false;
  readonly email: string;
  readonly displayName?: string | undefined;
  readonly errors: { readonly displayName?: string | undefined; readonly password?: string | undefined };
};

/** The last step asks for a name and a password. The address is shown for password managers only: the proven one counts. */
export function finishForm(words: Words, { email, displayName, errors, after, ...target }: FinishForm): Markup {
  const { fields, signUp } = words;
  return form(
    target,
    html`${field({ name: 'email', label: fields.email, type: 'email', autocomplete: 'username', value: email, fixed: true })}
${field({
  name: 'display_name',
  label: signUp.name,
  autocomplete: 'nickname',
  value: displayName,
  maxlength: 60,
  hint: signUp.nameHint,
  error: errors.displayName,
})}
${newPasswordField(words, { label: fields.password, error: errors.password })}
<button class="primary">${signUp.finish}</button>
${after}`,
  );
}

/** The fields of a new account's form, or what is wrong with them. */
export type AccountForm =
  | { readonly kind: 'complete'; readonly displayName: string; readonly password: string }
  | {
      readonly kind: 'faulty';
      readonly displayName: string;
      readonly errors: { readonly displayName?: string; readonly password?: string };
    };

/** `email`: the proven address. `byPasskey`: a passkey takes the password's place. */
export async function readNewAccount(
  words: Words,
  form: unknown,
  email: string,
  byPasskey = false,
): Promise<AccountForm> {
  const typed = parameter(form, 'display_name') ?? '';
  const password = parameter(form, 'password') ?? '';
  const displayName = displayNameFrom(typed);
  const fault = byPasskey ? null : await passwordFault(password, { email, displayName: displayName ?? '' });
  if (displayName !== null && fault === null) return { kind: 'complete', displayName, password };
  return {
    kind: 'faulty',
    displayName: typed,
    errors: {
      ...(displayName === null && { displayName: reasonText(words, DISPLAY_NAME_FAULT) }),
      ...(fault !== null && { password: reasonText(words, fault) }),
    },
  };
}
