import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changePassword } from '../../src/features/credentials/change-password.ts';
import { storePassword } from '../../src/identity/passwords.ts';
import { findUser } from '../../src/identity/users.ts';
import { languageCookieName } from '../../src/web/session-cookie.ts';
import { convert, createGame, guestPath, newEmail } from '../kit/service/conversion.ts';
import { cookieOf, hiddenField, sendForm } from '../kit/service/forms.ts';
import { codeIn, mailAtOnce } from '../kit/service/mailbox.ts';
import { hiddenFields, openBrowser } from '../kit/service/oauth-browser.ts';
import { newPayment } from '../kit/service/payment.ts';
import { createPerson, PASSWORD } from '../kit/service/people.ts';
import type { TestService } from '../kit/service/service.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { behindProxy, STORED, somewhere } from '../kit/service/with-password.ts';

type Answer = { readonly body: string; readonly headers: Record<string, unknown> };

/** The language that a page says it is in. */
function languageIn({ body, headers }: Answer): string {
  const [, language = '', direction] = /<html lang="([\w-]+)" dir="(\w+)">/.exec(body) ?? [];
  assert.equal(headers['content-language'], language);
  assert.equal(headers.vary, 'accept-language, cookie');
  assert.equal(direction, language === 'ar' ? 'rtl' : 'ltr');
  return language;
}

const choose = (s: TestService, address: string, language: string, headers = {}) =>
  sendForm(s, '/language', { address, language }, { 'sec-fetch-site': 'same-origin', ...headers });

test('a page is in the language that the game, the account, the browser or the operator names, in this order', async (t) => {
  const s = await sharedService(t, behindProxy);
  const name = languageCookieName(s.origin);
  const { cookie, userId } = await createPerson(s);
  const cases: [url: string, headers: Record<string, string>, language: string][] = [
    ['/', {}, 'en'],
    ['/', { 'accept-language': 'fi, pt-PT;q=0.5, ja;q=0.1' }, 'pt-BR'],
    ['/', { 'accept-language': 'ja', cookie: `${name}=ar` }, 'ar'],
    ['/?locale=de-AT', { 'accept-language': 'ja', cookie: `${name}=ar` }, 'de'],
    ['/?locale=fi', { 'accept-language': 'ja', cookie: `${name}=ar` }, 'ar'],
    ['/?locale=de&ui_locales=fi%20es', { cookie: `${name}=ar` }, 'es'],
    // Somebody who prefers Arabic to German keeps it wherever a game asks for German.
    ['/?locale=de', { cookie: `${name}=ar~de` }, 'ar'],
    ['/?locale=fr', { cookie: `${name}=ar~de` }, 'fr'],
    ['/sign-in?return_to=%2Faccount%3Flocale%3Dfr', {}, 'fr'],
    ['/account/nothing-here', { 'accept-language': 'ja' }, 'ja'],
    ['/account', { cookie, 'accept-language': 'ja' }, 'ja'],
  ];
  for (const [url, headers, language] of cases) {
    const answer = await s.app.inject({ url, headers: { accept: 'text/html', ...somewhere(), ...headers } });
    assert.equal(languageIn(answer), language, `${url} ${JSON.stringify(headers)}`);
  }
  assert.equal((await choose(s, '/account', 'es', { cookie })).statusCode, 303);
  const headers = { cookie: `${cookie}; ${name}=ar`, 'accept-language': 'ja' };
  assert.equal(languageIn(await s.app.inject({ url: '/account', headers })), 'es');
  assert.equal(languageIn(await s.app.inject({ url: '/account?locale=fr', headers })), 'fr');
  assert.equal((await findUser(s.service.db, userId))?.locale, 'es');
});

test('a language chosen after a faulty form keeps what the form was for', async (t) => {
  const s = await sharedService(t, behindProxy);
  const { cookie } = await createPerson(s);
  for (const path of ['/sign-in', '/sign-up']) {
    // Whoever is signed in, and wants another account, is not sent back.
    const fields = { return_to: '/account', any: 'true', inline: 'true' };
    const refused = await sendForm(s, path, { ...fields, email: '' }, { cookie });
    assert.ok(refused.statusCode >= 400, path);
    const address = new URL(hiddenField(refused.body, 'address').replaceAll('&amp;', '&'), s.origin);
    assert.deepEqual(Object.fromEntries(address.searchParams), fields, path);
    const chosen = await choose(s, address.pathname + address.search, 'fr', { cookie });
    const page = await s.app.inject({ url: String(chosen.headers.location), headers: { cookie } });
    assert.deepEqual([page.statusCode, languageIn(page)], [200, 'fr'], path);
  }
});

test('the scripts of a page are in its language, and consoles are in English', async (t) => {
  const s = await sharedService(t, behindProxy);
  const { cookie } = await createPerson(s);
  const headers = { cookie, 'accept-language': 'de' };
  const page = await s.app.inject({ url: '/account/password', headers });
  const [, script = ''] = /src="([^"]+password\.js)"/.exec(page.body) ?? [];
  assert.match((await s.app.inject(script)).body, /"show":"Anzeigen"/);
  const console = await s.app.inject({ url: '/developer', headers });
  assert.match(console.body, /<html lang="en" dir="ltr">/);
  assert.equal(console.headers['content-language'], 'en');
});

test('a language chosen in a frame is in the address alone, and the payment stays as it is', async (t) => {
  const s = await sharedService(t, behindProxy);
  const game = await createGame(s);
  const payment = await newPayment(s, game);
  await s.issue(payment.guest.userId, 100);
  const frame = { 'sec-fetch-dest': 'iframe' };
  const page = await payment.open({ inline: 'true', locale: 'de' }, frame);
  assert.equal(languageIn(page), 'de');
  assert.ok(!page.body.includes(payment.guest.pageToken));
  const address = hiddenField(page.body, 'address').replaceAll('&amp;', '&');
  assert.match(address, /page_token=/);
  const chosen = await choose(s, address, 'ar', frame);
  assert.deepEqual([chosen.statusCode, chosen.cookies], [303, []]);
  const next = await s.app.inject({ url: String(chosen.headers.location), headers: frame });
  assert.equal(languageIn(next), 'ar');
  const form = { page_token: hiddenField(next.body, 'page_token'), decision: 'approve' };
  // Each form of the page asks for the next page in its language.
  const [decision, locale] = [`/requests/${payment.id}/decision`, hiddenField(next.body, 'locale')];
  const paid = await sendForm(s, decision, { ...form, locale }, frame);
  assert.equal(languageIn(paid), 'ar');
  // The answer to a form is shown again by a form, whose token stays out of addresses.
  const [, choice = ''] = /<form method="post" action="\/language">([\s\S]*?)<\/form>/.exec(paid.body) ?? [];
  const fields = { ...hiddenFields({ body: choice }), locale: 'fr' };
  const sentOn = await sendForm(s, '/language', fields, { 'sec-fetch-site': 'same-origin', ...frame });
  assert.deepEqual([sentOn.statusCode, sentOn.headers.location, sentOn.cookies], [307, decision, []]);
  const before = await sendForm(s, decision, fields, frame);
  assert.equal(languageIn(before), 'fr');
  assert.match(before.body, /Tu as déjà payé cela/);
});

test('a language chosen at top level is kept in the browser, for our own pages and forms alone', async (t) => {
  const s = await sharedService(t, behindProxy);
  const chosen = await choose(s, '/sign-in?locale=de&return_to=%2Faccount', 'ja');
  assert.deepEqual([chosen.statusCode, chosen.headers.location], [303, '/sign-in?locale=ja&return_to=%2Faccount']);
  const [kept] = chosen.cookies;
  assert.deepEqual([kept?.value, kept?.httpOnly, kept?.sameSite], ['ja~de', true, 'Lax']);
  const again = await s.app.inject({ url: '/sign-in?locale=de', headers: { cookie: cookieOf(chosen) } });
  assert.equal(languageIn(again), 'ja');
  assert.equal((await choose(s, 'https://evil.example/', 'ja')).headers.location, '/account?locale=ja');
  assert.equal((await choose(s, '/', 'xx')).statusCode, 400);
  const lost = await s.app.inject({ url: '/nothing-here?page=2', headers: { accept: 'text/html' } });
  assert.match(lost.body, /action="\/language"/);
  assert.doesNotMatch(lost.body, /page=2/, 'what was refused does not stand in the page');
  const cases = [
    [`${s.origin}/nothing-here?page=2`, '/nothing-here?page=2&locale=ja'],
    ['https://evil.example/x', '/?locale=ja'],
    ['', '/?locale=ja'],
  ] as const;
  for (const [referer, location] of cases) {
    const { headers } = await sendForm(
      s,
      '/language',
      { language: 'ja' },
      { 'sec-fetch-site': 'same-origin', referer },
    );
    assert.equal(headers.location, location, referer);
  }
  assert.equal(
    (await choose(s, '/', 'ja', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' })).statusCode,
    403,
  );
  for (const url of ['/?token=secret', '/guest?token=secret', '/requests/x?firebase_token=secret']) {
    assert.doesNotMatch((await s.app.inject(url)).body, /secret/, url);
  }
});

test('sign-in and consent are in the language that an app asks for', async (t) => {
  const s = await sharedService(t, behindProxy);
  const { id } = await createGame(s, { redirectUris: ['https://game.example/back'] });
  const browser = openBrowser(s.origin);
  const asks = `/oauth/authorize?response_type=code&client_id=${id}&ui_locales=fi%20fr-CA`;
  const signIn = (await browser.arrive(asks)).location ?? '';
  assert.equal(languageIn(pageOf(await browser.visit(signIn))), 'fr');
  const [name = '', value = ''] = (await createPerson(s)).cookie.split('=');
  browser.setCookie(name, value);
  const consent = await browser.arrive(new URL(signIn).searchParams.get('return_to') ?? '');
  assert.match(consent.url, /interaction/);
  assert.equal(languageIn(pageOf(consent)), 'fr');
  const refused = pageOf(await browser.visit('/oauth/authorize?client_id=x&ui_locales=es'));
  assert.equal(languageIn(refused), 'es');
  const asked = { language: 'ja' };
  const came = { 'sec-fetch-site': 'same-origin', referer: `${s.origin}/oauth/authorize?client_id=x&ui_locales=es` };
  const chosen = await sendForm(s, '/language', asked, came);
  const again = pageOf(await browser.visit(String(chosen.headers.location)));
  assert.equal(languageIn(again), 'ja');
});

const pageOf = ({ body, headers }: { body: string; headers: Headers }): Answer => ({
  body,
  headers: Object.fromEntries(headers),
});

test('mails are in the language of the person: of the sign-up, of a guest’s conversion, of the account', async (t) => {
  const s = await sharedService(t, behindProxy);
  const { db } = s.service;
  const email = newEmail();
  const german = { ...somewhere(), 'accept-language': 'de' };
  const sent = await sendForm(s, '/sign-up', { email }, german);
  const mail = await mailAtOnce(s, email);
  assert.match(mail.subject, /ist dein Code für Quarters$/);
  const flow = hiddenField(sent.body, 'flow');
  const proved = await sendForm(s, '/sign-up/code', { flow, code: codeIn(mail) }, german);
  const finish = { flow: hiddenField(proved.body, 'flow'), display_name: 'Ada', password: PASSWORD };
  assert.equal((await sendForm(s, '/sign-up/finish', finish, german)).statusCode, 303);
  // Whoever asks, and in which language: the mail is for the owner.
  await sendForm(s, '/forgot', { email }, { ...somewhere(), 'accept-language': 'ja' });
  assert.match((await mailAtOnce(s, email, 2)).subject, /ist dein Code für ein neues Passwort$/);

  const guestEmail = newEmail();
  const game = await createGame(s);
  const arabic = { 'accept-language': 'ar', 'sec-fetch-dest': 'iframe' };
  const guest = await s.createGuest(game);
  const done = await convert(s, guestPath(game, guest, { frame_id: 'f', redirect_uri: '' }), guestEmail, arabic);
  assert.equal(languageIn(done), 'ar');
  assert.equal((await findUser(db, guest.userId))?.locale, 'ar');

  const spanish = await createPerson(s);
  await storePassword(db, spanish.userId, STORED);
  await choose(s, '/account', 'es', { cookie: spanish.cookie });
  const user = (await findUser(db, spanish.userId))!;
  const proof = { kind: 'password', password: PASSWORD } as const;
  await changePassword(s.service, user, spanish.session, { password: 'zX9$kQ2!mB7@', proof, client: '2001:db8::1' });
  assert.equal((await mailAtOnce(s, spanish.email)).subject, 'Tu contraseña ha cambiado');
});
