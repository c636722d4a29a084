import { html } from 'hono/html';
import type { App } from '../identity/apps.ts';
import { gameName } from './game-text.ts';
import type { Markup } from './layout.ts';

/** The path of an app's picture. Null: it has none. */
export function picturePath({ id, picture }: Pick<App, 'id' | 'picture'>): string | null {
  return picture && `/apps/${id}/${picture}.png`;
}

/**
 * The app's picture and name, and whether the operator has verified it. The mark stands before the name, where the app can put
 * nothing. The name is always in quotation marks, because the app chose it.
 */
export function appFace(app: Pick<App, 'id' | 'name' | 'picture' | 'verifiedAt'>): Markup {
  const path = picturePath(app);
  return html`<div class="face">
${path && html`<img src="${path}" alt="" width="48" height="48">`}
<div>
<p class="lead">${app.verifiedAt ? html`<strong class="verified">Verified by Quarters</strong>` : 'Unverified game'}</p>
<p class="name"><bdi>“${gameName(app.name)}”</bdi></p>
</div>
</div>`;
}
