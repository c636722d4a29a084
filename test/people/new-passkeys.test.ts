import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPasskeyDevice, type PasskeyDevice } from '../../local/emulator/passkey-device.ts';
import { toChecksum } from '../../src/base/address.ts';
import { listPasskeys } from '../../src/identity/passkeys.ts';
import { listWithdrawalAddresses } from '../../src/identity/withdrawal-addresses.ts';
import { codeIn, mailAtOnce } from '../kit/service/mailbox.ts';
import { createPerson, type Person, signIn } from '../kit/service/people.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { hiddenField, isSignedIn, mailTo, send, visit } from '../kit/service/visits.ts';
import { outsideAddress } from '../kit/service/withdrawer.ts';
import { ageSessions } from '../rows/oauth.ts';
import { agePasskeys } from '../rows/passkeys.ts';

const NOBODY = { cookie: '', csrf: '' };
const PAGE = '/account/passkeys';

test('a thief who knows the password gets neither a passkey nor an address of their own', async (t) => {
  const s = await sharedService(t, { env: { WITHDRAWALS: 'on' } });
  const { app, origin } = s;
  const { db } = s.service;
  const post = (url: string, { cookie, csrf }: Pick<Person, 'cookie' | 'csrf'>, payload: object) =>
    app.inject({ method: 'POST', url, headers: { origin, cookie }, payload: { ...payload, csrf } });
  /** As the script of the page adds the passkey of a device. */
  const add = async (who: Person, device: PasskeyDevice, name = 'Phone') => {
    const options = await post('/passkeys/options', who, { name });
    return post('/passkeys', who, { name, answer: device.make(options.json().challenge, origin) });
  };
  /** The cookie that an answer sets, with the form token that belongs to it. */
  const signedInBy = async (who: Person, answer: { headers: Record<string, unknown> }): Promise<Person> => {
    const [cookie] = [answer.headers['set-cookie']].flat() as string[];
    const anew = { ...who, cookie: cookie!.split(';')[0]! };
    return { ...anew, csrf: hiddenField(await visit(s, anew, PAGE), 'csrf') };
  };
  const passkeysOf = async ({ userId }: Person) => (await listPasskeys(db, userId)).length;
  const linkIn = (mail: string) => /(\/passkeys\/stop\?token=\S+)/.exec(mail)![1]!;
  const tokenIn = (link: string) => new URL(link, origin).searchParams.get('token')!;
  const byCode = () => createPerson(s, { methods: ['pwd', 'otp'] });

  await t.test('a session of the password alone asks for a mailed code first', async () => {
    const person = await createPerson(s);
    const asked = await visit(s, person, PAGE);
    assert.doesNotMatch(asked.body, /data-passkey="make"/);
    const refused = await add(person, newPasskeyDevice());
    assert.deepEqual([refused.statusCode, await passkeysOf(person)], [422, 0]);
    assert.match(refused.json().message, /code that we e-mail you/);

    const sent = await send(s, person, `${PAGE}/code`);
    const code = codeIn(await mailAtOnce(s, person.email));
    const id = hiddenField(sent, 'id');
    const other = await createPerson(s);
    for (const [who, typed] of [
      [person, { id, code: code === '000000' ? '000001' : '000000' }],
      [person, { id: 'none', code }],
      [person, {}],
      [other, { id, code }],
    ] as const) {
      assert.equal((await send(s, who, `${PAGE}/code/confirm`, typed)).status, 422);
    }
    assert.equal((await send(s, person, `${PAGE}/code/confirm`, { id, code })).status, 422, 'another has used it up');
    const again = await send(s, person, `${PAGE}/code`);
    const second = codeIn(await mailAtOnce(s, person.email, 2));
    const proved = await app.inject({
      ...{ method: 'POST', url: `${PAGE}/code/confirm` },
      headers: { origin, cookie: person.cookie, 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ csrf: person.csrf, id: hiddenField(again, 'id'), code: second }).toString(),
    });
    assert.deepEqual([proved.statusCode, proved.headers.location], [303, PAGE]);
    assert.equal(await isSignedIn(s, person), false, 'its session is another one');
    const anew = await signedInBy(person, proved);
    assert.match((await visit(s, anew, PAGE)).body, /data-passkey="make"/);
    assert.equal((await add(anew, newPasskeyDevice())).statusCode, 200);
    assert.equal(await passkeysOf(person), 1);
  });

  await t.test('a code from a sign-in of long ago asks for a new sign-in', async () => {
    const person = await createPerson(s);
    await ageSessions(db, { userId: person.userId }, '1 day');
    assert.equal((await send(s, person, `${PAGE}/code`)).status, 303);
  });

  await t.test('a passkey confirms an address only a day after it was added, and the page says when', async () => {
    const person = await byCode();
    const device = newPasskeyDevice();
    assert.equal((await add(person, device)).statusCode, 200);
    const address = toChecksum(outsideAddress());
    const confirm = async () => {
      const options = await post('/account/withdraw/addresses/options', person, { address });
      const answer = device.sign(options.json().challenge, origin);
      return post('/account/withdraw/addresses', person, { address, answer });
    };
    assert.match((await visit(s, person, '/account/withdraw/addresses')).body, /Your passkey is new/);
    await agePasskeys(db, person.userId, '23 hours 59 minutes');
    const early = await confirm();
    assert.match(early.json().message, /This passkey is too new/);
    assert.deepEqual(await listWithdrawalAddresses(db, person.userId), []);
    await agePasskeys(db, person.userId, '24 hours 1 minute');
    assert.match((await visit(s, person, '/account/withdraw/addresses')).body, /data-passkey="use"/);
    assert.equal((await confirm()).statusCode, 200);
    assert.equal((await listWithdrawalAddresses(db, person.userId)).length, 1);
  });

  await t.test(
    'the mail about it has a link that removes it, and signs everybody out, once it is pressed',
    async () => {
      const person = await byCode();
      const thief = { ...person, ...(await signIn(s, person.userId, 0, ['pwd', 'otp'])) };
      await add(thief, newPasskeyDevice(), 'Key <b>of</b> a thief');
      const link = linkIn(await mailTo(s, person.email, 'A passkey was added'));
      const asked = await visit(s, null, link);
      assert.match(asked.body, /Key &lt;b&gt;of&lt;\/b&gt; a thief/);
      assert.equal(await passkeysOf(person), 1, 'opening the link removes nothing');
      const foreign = { origin: 'https://other.example', 'sec-fetch-site': 'cross-site' };
      assert.equal((await send(s, NOBODY, '/passkeys/stop', { token: tokenIn(link) }, foreign)).status, 403);
      const stopped = await send(s, NOBODY, '/passkeys/stop', { token: tokenIn(link) });
      assert.match(stopped.body, /The passkey is removed/);
      assert.equal(await passkeysOf(person), 0);
      for (const who of [person, thief]) assert.equal(await isSignedIn(s, who), false);
      for (const token of [tokenIn(link), 'qw_unknown']) {
        assert.equal((await send(s, NOBODY, '/passkeys/stop', { token })).status, 410);
      }
    },
  );

  await t.test('the link is good for 30 days', async () => {
    const person = await byCode();
    await add(person, newPasskeyDevice());
    const link = linkIn(await mailTo(s, person.email, 'A passkey was added'));
    await agePasskeys(db, person.userId, '31 days');
    assert.equal((await visit(s, null, link)).status, 410);
    assert.equal((await send(s, NOBODY, '/passkeys/stop', { token: tokenIn(link) })).status, 410);
    assert.equal(await passkeysOf(person), 1);
  });
});
