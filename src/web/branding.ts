import type { FastifyInstance } from 'fastify';
import type { AppId } from '../base/ids.ts';
import { Problem } from '../base/problems.ts';
import { findPicture } from '../identity/app-pictures.ts';
import type { Service } from '../settlement/service.ts';

type Addressed = { Params: { id: string; hash: string } };

const PATH = '/apps/:id(^[A-Za-z0-9]{20}$)/:hash(^[0-9a-f]{64}).png';

/** GET /apps/{id}/{hash}.png: an app's picture. The address holds a hash of the content, so browsers may cache it for ever. */
export function servePictures(server: FastifyInstance, { db }: Service): void {
  server.get<Addressed>(PATH, async ({ params }, reply) => {
    const picture = await findPicture(db, params.id as AppId, params.hash);
    if (!picture) throw new Problem('not-found', 'There is no such picture.');
    return reply
      .headers({
        'content-type': 'image/png',
        'cache-control': 'public, max-age=31536000, immutable',
        'content-security-policy': `default-src 'none'; frame-ancestors 'none'`,
        'cross-origin-resource-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
      })
      .send(picture);
  });
}
