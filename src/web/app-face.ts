import { html } from 'hono/html';
import type { App } from '../identity/apps.ts';
import { gameName } from './game-text.ts';
import type { Markup } from './layout.ts';

/** Where an app's picture is; null: it has none. */
export function picturePath({ id, picture }: Pick<App, 'id' | 'picture'>): string | null {
  return picture && `/apps/${id}/${picture}.png`;
}

/**
 * Who asks: the app's picture and name, and whether the operator has looked at who is behind it. That is said before the name, where
 * nothing of the app's can stand, and the name is always within quotation marks: it is the app's word and not ours.
 */
export function appFace(app: Pick<App, 'id' | 'name' | 'picture' | 'verifiedAt'>): Markup {
  const path = picturePath(app);
  return html`<div class="face">
${path && html`<img src="${path}" alt="" width="48" height="48">`}
<div>
<p class="lead">${app.verifiedAt ? html`<strong class="verified">Verified by Quarters</strong>` : 'A game that calls itself'}</p>
<p class="name"><bdi>“${gameName(app.name)}”</bdi></p>
</div>
</div>`;
}
