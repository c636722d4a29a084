import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { newPasskeyDevice } from '../../local/emulator/passkey-device.ts';
import { toChecksum } from '../../src/base/address.ts';
import type { AppId } from '../../src/base/ids.ts';
import { asQuarters } from '../../src/base/quarters.ts';
import { deleteApp } from '../../src/features/apps/delete-app.ts';
import { useIn } from '../../src/features/credentials/passkey-use.ts';
import { addPasskey, offerPasskey } from '../../src/features/credentials/passkeys.ts';
import { mailFolder, sendMails } from '../../src/features/mails/mails.ts';
import { askOthers } from '../../src/features/operator-actions/ask-others.ts';
import { deliveryRecorder } from '../../src/features/webhooks/record-deliveries.ts';
import { grantConsent } from '../../src/identity/consents.ts';
import { storePassword } from '../../src/identity/passwords.ts';
import { findUser } from '../../src/identity/users.ts';
import { folderMailer } from '../../src/mail/mail.ts';
import type { ActionId } from '../../src/operator-actions/operator-actions.ts';
import { asDeveloper } from '../../src/service/managers.ts';
import { readWithdrawals } from '../../src/views/accounts/read-withdrawals.ts';
import type { DueDelivery } from '../../src/webhooks/deliveries.ts';
import { inviteMember } from '../../src/wings/developers-console/features/invitations.ts';
import { en } from '../../words/en.ts';
import { ACCOUNT, createGame, type Game, guestPath } from '../kit/service/conversion.ts';
import { registerApp, withForms } from '../kit/service/developer.ts';
import { cookieOf, hiddenField } from '../kit/service/forms.ts';
import { grantMandate } from '../kit/service/grant-mandate.ts';
import { approve, askFor } from '../kit/service/history.ts';
import { codeIn, mailAtOnce, mailsTo } from '../kit/service/mailbox.ts';
import { hiddenFields } from '../kit/service/oauth-browser.ts';
import { createOperator } from '../kit/service/operator.ts';
import { enableAutoApproval } from '../kit/service/operator-acts.ts';
import { storePasskey } from '../kit/service/passkey.ts';
import { newPayment } from '../kit/service/payment.ts';
import { createPerson, signIn } from '../kit/service/people.ts';
import type { TestService } from '../kit/service/service.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { freeze } from '../kit/service/stopping.ts';
import { addHook } from '../kit/service/webhooks.ts';
import { behindProxy, PASSWORD, STORED } from '../kit/service/with-password.ts';
import { makeFinal, newWithdrawer, outsideAddress } from '../kit/service/withdrawer.ts';
import { madeUpWords, shownText, unmarkedLines } from '../kit/unit/made-up-words.ts';
import { until } from '../kit/unit/until.ts';
import { letRequestExpire } from '../rows/requests.ts';
import { readyAddresses } from '../rows/withdrawals.ts';
import { type PageReader, pageReader, type Visiting, WRITTEN_BY_OTHERS } from './page-reader.ts';

/** GET routes that lead on, or stream: no page. */
const WITHOUT_PAGE = new Set([
  'GET /.well-known/change-password',
  'GET /.well-known/passkey-endpoints',
  'GET /favicon.ico',
  'GET /forgot/code',
  'GET /forgot/password',
  'GET /sign-up/code',
  'GET /sign-up/finish',
  'GET /account/progress',
  'GET /requests/:id/progress',
  'GET /requests/:id/decision',
  'GET /oauth/logout/success',
]);

test('every page and every mail is in the language of its reader, who can choose another one after each form', async (t) => {
  const s = await sharedService(t, { env: { ...behindProxy.env, WITHDRAWALS: 'on', FINAL_AFTER: '1' } });
  const { words, mails } = madeUpWords();
  // Says the same, so that only what a page says of its language tells them apart.
  const other = { ...words, language: 'de', locale: 'de' };
  t.mock.property(s.service, 'languages', { all: [words, other], fallback: words });
  const reader = pageReader(s, other.language);
  const game = await createGame(s, { name: '★ 7' });
  await sweep(s, reader);
  const withGames = [signingUp, resetting, paying, converting, merging, connecting, changingAccount];
  for (const story of [...withGames, newPasskey, withdrawing]) await story(s, reader, game);
  await writeToDevelopers(s);
  assert.deepEqual([...new Set(reader.faults)].sort(), []);
  assert.deepEqual(
    reader.routes.filter((route) => !reader.seen.has(route) && !WITHOUT_PAGE.has(route)),
    [],
    'no page was seen of these',
  );
  assert.deepEqual(await unmarkedMails(s), []);
  const kinds = Object.entries(en.mails).filter(([, kind]) => typeof kind === 'object');
  assert.deepEqual(
    kinds.map(([kind]) => kind).filter((kind) => !mails.has(kind)),
    [],
    'no such mail was written',
  );
});

const MADE_UP = '@made-up.example';
const newEmail = () => `${randomUUID()}${MADE_UP}`;

/** Who is asked for nothing by name: no letters. */
const newPerson = (s: TestService) => createPerson(s, { displayName: '★', email: newEmail() });

/** Every route as nobody, as somebody who is signed in, and as somebody who is frozen; forms without what they need. */
async function sweep(s: TestService, reader: PageReader): Promise<void> {
  const [person, frozen] = [await newPerson(s), await newPerson(s)];
  await freeze(s.service, frozen.userId);
  for (const route of reader.routes) {
    const [method, pattern = ''] = route.split(' ');
    const url = pattern.replaceAll(/:\w+(?:\([^/]*\))?/g, 'a'.repeat(21));
    for (const { userId } of [person, frozen]) {
      // A form may end the session.
      const who = await signIn(s, userId);
      if (method === 'GET') await reader.open(url, who);
      else {
        await reader.send(url, { csrf: 'foreign' }, who);
        await reader.send(url, {}, who);
      }
    }
    if (method === 'GET') await reader.open(url);
    else await reader.send(url, {});
  }
}

/** The n-th code that was sent to an address. */
async function codeTo(s: TestService, email: string, n = 1): Promise<string> {
  await mailAtOnce(s, email, n);
  const codes = async () => (await mailsTo(s, email)).map(codeIn).filter((code) => code !== '');
  await until(`code ${n} to ${email}`, async () => (await codes()).length >= n);
  return (await codes())[n - 1]!;
}

async function signingUp(s: TestService, { send }: PageReader): Promise<void> {
  const email = newEmail();
  const flow = hiddenField((await send('/sign-up', { email })).body, 'flow');
  await send('/sign-up/code', { flow, code: 'none' });
  const proved = hiddenField((await send('/sign-up/code', { flow, code: await codeTo(s, email) })).body, 'flow');
  await send('/sign-up/finish', { flow: proved, display_name: ' ', password: 'short' });
  await send('/sign-up/finish', { flow: proved, display_name: '★', password: PASSWORD });
  const again = hiddenField((await send('/sign-up', { email })).body, 'flow');
  await send('/sign-up/code', { flow: again, code: await codeTo(s, email, 2) });
}

async function resetting(s: TestService, { send }: PageReader): Promise<void> {
  const { email } = await newPerson(s);
  const flow = hiddenField((await send('/forgot', { email })).body, 'flow');
  await send('/forgot/code', { flow, code: 'none' });
  const proved = hiddenField((await send('/forgot/code', { flow, code: await codeTo(s, email) })).body, 'flow');
  await send('/forgot/password', { flow: proved, password: 'short' });
  await send('/forgot/password', { flow: proved, password: PASSWORD });
  await send('/forgot', { email: newEmail() });
  await send('/sign-in', { email, password: 'wrong' });
}

async function paying(s: TestService, { open, send }: PageReader, game: Game): Promise<void> {
  const guest = await s.createGuest(game);
  await s.issue(guest.userId, 100);
  for (const [tokens, decision] of [
    [10, 'approve'],
    [10, 'decline'],
    [1_000, 'later'],
  ] as const) {
    const payment = await newPayment(s, game, { guest, tokens, description: '♜' });
    const form = { page_token: hiddenField((await open(payment.path())).body, 'page_token') };
    await send(`/requests/${payment.id}/report`, form);
    await send(`/requests/${payment.id}/report`, { ...form, step: 'send' });
    await send(`/requests/${payment.id}/report`, { ...form, step: 'send', reason: 'other' });
    await send(`/requests/${payment.id}/decision`, { ...form, decision });
    await open(payment.path());
  }
  const late = await newPayment(s, game, { guest });
  await letRequestExpire(s.service.db, late.id);
  await open(late.path());
  const person = await newPerson(s);
  const { id } = await askFor(s, game, person, 10, '♜');
  await open(`/requests/${id}`, person);
  await open(`/requests/${id}`, {}, { 'sec-fetch-dest': 'iframe' });
  await open(`/requests/${id}?redirect_uri=https://other.example/`, person);
}

/** As far as the page that follows the code. */
async function prove(s: TestService, { open, send }: PageReader, path: string, email: string) {
  const begun = hiddenField((await open(path)).body, 'flow');
  await send('/guest/email', { flow: begun, email: 'nobody' });
  const flow = hiddenField((await send('/guest/email', { flow: begun, email })).body, 'flow');
  await send('/guest/again', { flow: begun });
  await send('/guest/code', { flow, code: 'none' });
  return (await send('/guest/code', { flow, code: await codeTo(s, email) })).body;
}

async function converting(s: TestService, reader: PageReader, game: Game): Promise<void> {
  const path = guestPath(game, await s.createGuest(game));
  const flow = hiddenField(await prove(s, reader, path, newEmail()), 'flow');
  await reader.send('/guest/finish', { flow, display_name: '', password: 'short' });
  await reader.send('/guest/finish', { flow, ...ACCOUNT, frame_id: 'f' });
  await reader.open(path);
}

async function merging(s: TestService, reader: PageReader, game: Game): Promise<void> {
  const guest = await s.createGuest(game);
  await s.issue(guest.userId, 10);
  const [person, other] = [await newPerson(s), await newPerson(s)];
  const taken = await prove(s, reader, guestPath(game, guest, { frame_id: 'f', redirect_uri: '' }), person.email);
  const path = /href="(\/guest\/merge\?flow=[\w-]+)"/.exec(taken)?.[1] ?? assert.fail(taken);
  await reader.open(path, other);
  const { body } = await reader.open(path, person);
  await reader.send('/guest/merge', { flow: hiddenField(body, 'flow'), page: path }, person);
}

/** Follows redirects of ours, with the cookies that are set on the way. */
async function follow(reader: PageReader, origin: string, url: string, who: Visiting): Promise<[string, Visiting]> {
  const { headers, cookies, body } = await reader.open(url, who);
  const next: Visiting = { ...who, cookie: [who.cookie, cookieOf({ cookies })].filter(Boolean).join('; ') };
  const to = headers.location && new URL(String(headers.location), origin);
  return to && to.origin === origin ? follow(reader, origin, to.pathname + to.search, next) : [body, next];
}

async function connecting(s: TestService, reader: PageReader, game: Game): Promise<void> {
  const { open, send } = reader;
  const person = await newPerson(s);
  const asks = `/oauth/authorize?${new URLSearchParams({ response_type: 'code', client_id: game.id, frame_id: 'f' })}`;
  await open(asks, {}, { 'sec-fetch-dest': 'iframe' });
  for (const decision of ['refuse', 'allow']) {
    const [page, visiting] = await follow(reader, s.origin, asks, person);
    const form = hiddenFields({ body: page });
    const { headers } = await send(form.page ?? '', { ...form, decision }, visiting);
    const { pathname, search } = new URL(String(headers.location), s.origin);
    await open(pathname + search, visiting);
  }
  await open(`${asks}&redirect_uri=https://other.example/`, person);
  const leaves = `/logout?client_id=${game.id}&frame_id=f`;
  await open(leaves, {}, { 'sec-fetch-dest': 'iframe' });
  await send('/logout', { ...hiddenFields(await open(leaves, person)), decision: 'stay' }, person);
  const [asked, visiting] = await follow(reader, s.origin, '/oauth/logout', person);
  const xsrf = hiddenField(asked, 'xsrf');
  await send('/oauth/logout/confirm', { xsrf, logout: 'yes' }, visiting);
  await open('/oauth/logout/success', visiting);
}

async function changingAccount(s: TestService, reader: PageReader, game: Game): Promise<void> {
  const { open, send } = reader;
  const { db } = s.service;
  const person = await newPerson(s);
  const { userId, email } = person;
  await storePassword(db, userId, STORED);
  for (const name of ['♜', '♞', '♝']) await storePasskey(s, userId, name);
  await s.issue(userId, 100);
  await approve(s, await askFor(s, game, person, 10, '♜'));
  await askFor(s, game, person, 5);
  await grantConsent(db, { userId, appId: game.id, scopes: ['profile', 'wallet', 'requests'] });
  const limits = { maxPerTransfer: asQuarters(100), maxPerDay: asQuarters(1_000), days: 30 };
  await grantMandate(db, { userId, appId: game.id, ...limits });
  for (const page of ['', '/activity', '/activity?q=none', '/apps', `/apps/limit?app=${game.id}`, '/check']) {
    await open(`/account${page}`, person);
  }
  await send('/account/apps/limit', { app: game.id, perTransfer: '0', perDay: '1.5' }, person);
  const { body } = await open('/account/passkeys', person);
  await send('/account/passkeys/remove', { id: hiddenField(body, 'id') }, person);
  await send('/account/passkeys/remove-all', {}, person);
  const late = await signIn(s, userId, 60);
  const kept = await send('/account/apps/sign-out', { page: '/account' }, late);
  const to = new URL(String(kept.headers.location), s.origin).searchParams.get('return_to');
  await open(to ?? '', { cookie: `${person.cookie}; ${cookieOf(kept)}` });
  await open('/sign-in?again=true', person);
  await send('/account/password', { current_password: 'wrong', password: 'zX9$kQ2!mB7@' }, person);
  await send('/account/password', { current_password: PASSWORD, password: 'zX9$kQ2!mB7@' }, person);
  const next = newEmail();
  const change = hiddenField((await send('/account/email', { email: next }, person)).body, 'change');
  await send('/account/email/confirm', { change, old_code: 'none', new_code: 'none' }, person);
  const codes = { old_code: await codeTo(s, email), new_code: await codeTo(s, next) };
  await send('/account/email/confirm', { change, ...codes }, person);
  await open('/account?changed=email', person);
  await open('/account/close', person);
  await send('/account/close', { email: next }, person);
  await open('/account/closed');
}

async function newPasskey(s: TestService, { open, send }: PageReader): Promise<void> {
  const person = await newPerson(s);
  const id = hiddenField((await send('/account/passkeys/code', {}, person)).body, 'id');
  await send('/account/passkeys/code/confirm', { id, code: 'none' }, person);
  const { session } = await signIn(s, person.userId, 0, ['otp']);
  const use = useIn(session, 'new-passkey', '♜');
  const user = (await findUser(s.service.db, person.userId))!;
  const { challenge } = await offerPasskey(s.service, user, use);
  await addPasskey(s.service, user, session, { name: '♜', answer: newPasskeyDevice().make(challenge, s.origin) });
  await open('/account/withdraw/addresses', person);
  await mailAtOnce(s, person.email, 2);
  const [link] = (await mailsTo(s, person.email)).flatMap(({ text }) => /\/passkeys\/stop\?token=\S+/.exec(text) ?? []);
  await open(link!);
  await send('/passkeys/stop', { token: new URL(link!, s.origin).searchParams.get('token')! });
  await open(link!);
}

async function withdrawing(s: TestService, { open, send }: PageReader): Promise<void> {
  const { person, user, add, take } = await newWithdrawer(s, await newPerson(s));
  for (let i = 0; i < 3; i++) await add(toChecksum(outsideAddress()));
  await readyAddresses(s.service.db, user.id);
  await add(toChecksum(outsideAddress()));
  await mailAtOnce(s, person.email, 4);
  const links = (await mailsTo(s, person.email)).map(({ text }) => /(\/withdrawals\/stop\?token=(\S+))/.exec(text)!);
  await open(links[0]![1]!);
  await send('/withdrawals/stop', { token: links[0]![2]! });
  await open(links[0]![1]!);
  await s.issue(user.id, 100);
  await makeFinal(s);
  const { addresses } = await readWithdrawals(s.service, user);
  await take(1, addresses.find(({ state }) => state === 'ready')!.address);
  for (const path of ['', '/addresses', '?changed=withdrawal', '?changed=withdrawalAddress']) {
    await open(`/account/withdraw${path}`, person);
  }
  await open('/account/check', person);
  const other = await newPerson(s);
  for (const path of ['', '/addresses']) await open(`/account/withdraw${path}`, other);
}

/** Mails about apps: they come from features, whose pages are for developers. */
async function writeToDevelopers(s: TestService): Promise<void> {
  const { service } = s;
  const developer = withForms(s, await newPerson(s));
  const { id } = await registerApp(developer, { name: '★ 8' });
  const caller = asDeveloper(developer.session);
  await inviteMember(service, caller, id, { email: newEmail(), role: 'admin' });
  const { id: endpointId } = await addHook(s, id as AppId, 'https://game.example/hook');
  const delivery = { event: { id: randomUUID() }, endpointId, attempts: 1 } as unknown as DueDelivery;
  await deliveryRecorder(service, 25).record(delivery, { ok: false, status: 410, fault: 'status' }, 1);
  await deleteApp(service, caller, id, '★ 8');
  const player = await newPerson(s);
  const game = await s.createApp({ name: '★ 9' });
  await s.issue(player.userId, 10);
  await approve(s, await askFor(s, game, player, 1));
  await s.settled();
  await enableAutoApproval(service, game.id);
  await createOperator(s, { email: newEmail() });
  const action = { id: randomUUID() as ActionId, askedBy: `user:${player.userId}` } as const;
  await service.db.transaction((tx) => askOthers(service, tx, action, '★'));
}

/** What mails to made-up addresses say in no marks. */
async function unmarkedMails({ service }: TestService): Promise<string[]> {
  const folder = mailFolder(service.settings);
  while (await sendMails(service, folderMailer(folder)));
  await until('no mail waits', async () => (await service.db.query('SELECT FROM mails')).length === 0);
  const names = (await readdir(folder)).filter((name) => name.endsWith('.txt'));
  const read = (name: string) => readFile(join(folder, name), 'utf8');
  const found: string[] = [];
  for (const name of names) {
    const text = await read(name);
    if (!text.split('\n', 1)[0]!.endsWith(MADE_UP)) continue;
    const html = shownText(await read(name.replace('.txt', '.html')));
    for (const one of [text.replaceAll(/^(?:To|Subject): /gm, ''), html])
      found.push(...unmarkedLines(one, WRITTEN_BY_OTHERS));
  }
  return [...new Set(found)];
}
