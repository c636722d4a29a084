import { html } from 'hono/html';
import type { App } from '../../identity/apps.ts';
import type { User } from '../../identity/users.ts';
import { branding, quoted } from '../../web/branding.ts';
import { hidden } from '../../web/fields.ts';
import { type Frame, layout, type Page } from '../../web/layout.ts';
import { afterSending } from '../../web/result-delivery.ts';
import { shownEmail } from '../../web/shown-email.ts';
import type { Words } from '../../words/words.ts';

export type AccountChoice = Frame & {
  readonly app: App;
  readonly user: User;
  /** The page's own path. */
  readonly path: string;
  readonly csrf: string;
  /** Where somebody signs in with another account. */
  readonly other: string;
  /** Leads to the app once more after the answer. Null: our own page tells the game. */
  readonly again: string | null;
};

/** Asks somebody who is signed in with which account they go on (OpenID Connect Core, `prompt=select_account`). */
export function accountChoice(words: Words, page: AccountChoice): Page {
  const { consent: texts, signIn } = words;
  const { app, user, path, csrf, other, again } = page;
  return layout(
    page,
    texts.choose,
    html`<main>
${branding(words, app)}
<h1>${texts.choose}</h1>
<p>${signIn.toGame(quoted(words, app.name))}</p>
<dl><div><dt>${texts.signedInAs}</dt><dd><bdi>${user.displayName}</bdi><br>${shownEmail(user.email)}</dd></div></dl>
<form method="post" action="${path}">
${hidden('csrf', csrf)}${hidden('page', path)}
<button class="primary" name="decision" value="continue">${signIn.continue}</button>
<a class="secondary" href="${other}">${texts.otherAccount}</a>
${again !== null && afterSending(words, app, words.messages.continueInGame, again)}
</form>
</main>`,
  );
}
