import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { NewGuest } from '../../../src/features/guests/create-guest.ts';
import { insertKey } from '../../../src/identity/app-keys.ts';
import type { NewApp } from '../../../src/identity/apps.ts';
import { hiddenField, sendForm } from './forms.ts';
import { codeIn, mailAtOnce } from './mailbox.ts';
import { PASSWORD } from './people.ts';
import type { TestApp, TestService } from './service.ts';

export const BACK = 'https://game.example/back';
export const ACCOUNT = { display_name: 'Ada', password: PASSWORD };

export type Game = TestApp & { readonly secret: string };

export async function createGame(service: TestService, app: Partial<NewApp> = {}): Promise<Game> {
  const game = await service.createApp({ redirectUris: [BACK], ...app });
  return { ...game, secret: await service.service.db.transaction((tx) => insertKey(tx, game.id, { kind: 'client' })) };
}

export const newEmail = () => `Guest.${randomUUID()}@mail.example`;

let clients = 0;
/** Every call from another place: limits count by it. */
const somewhere = () => ({ 'x-forwarded-for': `2001:db8:3:${(++clients).toString(16)}::1` });

/** The page's address as the interface gives it. An empty text leaves a parameter out. */
export function guestPath(
  game: { id: string },
  guest: Pick<NewGuest, 'accessToken'>,
  more: Record<string, string> = {},
) {
  const all = { response_type: 'code', client_id: game.id, token: guest.accessToken, inline: 'true', ...more };
  return `/guest?${new URLSearchParams(Object.entries(all).filter(([, value]) => value !== ''))}`;
}

export const open = ({ app }: TestService, path: string, headers = {}) =>
  app.inject({ url: path, headers: { ...somewhere(), ...headers } });

export const send = (service: TestService, step: string, fields: Record<string, string>, headers = {}) =>
  sendForm(service, `/guest/${step}`, fields, { ...somewhere(), ...headers });

/** Gives the address and types the code; returns the sealed field of the last page. */
export async function proveEmail(
  service: TestService,
  path: string,
  email = newEmail(),
  headers = {},
): Promise<string> {
  const page = await open(service, path, headers);
  assert.equal(page.statusCode, 200, page.body);
  const sent = await send(service, 'email', { flow: hiddenField(page.body, 'flow'), email }, headers);
  const code = codeIn(await mailAtOnce(service, email));
  const proved = await send(service, 'code', { flow: hiddenField(sent.body, 'flow'), code }, headers);
  assert.equal(proved.statusCode, 200, proved.body);
  return hiddenField(proved.body, 'flow');
}

/** Goes through the whole wizard; returns the last answer. */
export async function convert(service: TestService, path: string, email = newEmail(), headers = {}) {
  return send(service, 'finish', { flow: await proveEmail(service, path, email, headers), ...ACCOUNT }, headers);
}

/** As existing clients redeem a code: JSON, no redirect address. */
export async function redeem({ app }: TestService, game: Game, code: string, more: Record<string, string> = {}) {
  const answer = await app.inject({
    method: 'POST',
    url: '/v1/oauth/token',
    payload: { grant_type: 'authorization_code', client_id: game.id, client_secret: game.secret, code, ...more },
  });
  return { status: answer.statusCode, body: answer.json<Record<string, string>>() };
}
