import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { appIdFrom } from '../base/ids.ts';
import { Problem } from '../base/problems.ts';
import { findPicture, type PictureType } from '../identity/app-pictures.ts';
import type { App } from '../identity/apps.ts';
import { misleadingNameFault } from '../identity/misleading-name.ts';
import type { Service } from '../service/service.ts';
import { picturePath } from '../views/apps/picture-path.ts';
import type { Words } from '../words/words.ts';
import { gameName } from './game-text.ts';
import { icon } from './icons.ts';
import type { Markup } from './layout.ts';

/**
 * The app's picture and name, and whether the operator has verified it. The mark stands before the name, where the app can put
 * nothing. The name is always in quotation marks, because the app chose it. `heads`: the name is a heading, where a page shows several.
 */
export function branding(
  words: Words,
  app: Pick<App, 'id' | 'name' | 'picture' | 'verifiedAt'>,
  { heads = false }: { readonly heads?: boolean } = {},
): Markup {
  const path = picturePath(app);
  const name = quoted(words, app.name);
  // One from before a rule. New ones are refused.
  const doubt = misleadingNameFault(app.name)
    ? html`<strong>${words.branding.misleading}</strong>`
    : words.branding.unverified;
  return html`<div class="branding">
${path ? html`<img src="${path}" alt="" width="52" height="52">` : html`<span class="monogram">${icon('games')}</span>`}
<div>
<p class="lead">${app.verifiedAt ? html`<strong class="verified">${icon('shield')}${words.branding.verified}</strong>` : doubt}</p>
${heads ? html`<h2 class="name">${name}</h2>` : html`<p class="name">${name}</p>`}
</div>
</div>`;
}

/** Begins a heading that says what a game asks for. The name stands beside the picture above; in the heading it is for who cannot see that. */
export function asker(words: Words, { name }: Pick<App, 'name'>): Markup {
  return html`<span class="visually-hidden">${quoted(words, name)} </span>`;
}

/** A game's name inside a sentence of ours. */
export function quoted(words: Words, name: string): Markup {
  return inQuotes(words, gameName(words, name));
}

/** A game's text, which `gameText` has made safe, with the direction of its own letters. */
export function inQuotes({ quotes: [open, close] }: Words, text: string): Markup {
  return html`<bdi>${open}${text}${close}</bdi>`;
}

type Addressed = { Params: { id: string; file: string } };

const PATH = '/apps/:id(^[A-Za-z0-9]{20}$)/:file(^[0-9a-f]{64}[.](?:png|webp)$)';

/** GET /apps/{id}/{hash}.png or .webp: an app's picture. The address holds a hash of the content, so browsers may cache it for ever. */
export function servePictures(server: FastifyInstance, { db }: Service): void {
  server.get<Addressed>(PATH, async ({ params }, reply) => {
    const [hash, type] = params.file.split('.') as [string, PictureType];
    const appId = appIdFrom(params.id);
    const picture = appId && (await findPicture(db, appId, hash, type));
    if (!picture) throw new Problem('not-found', 'There is no such picture.');
    return reply
      .headers({
        'content-type': `image/${type}`,
        'cache-control': 'public, max-age=31536000, immutable',
        'content-security-policy': `default-src 'none'; frame-ancestors 'none'`,
        'cross-origin-resource-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
      })
      .send(picture);
  });
}
