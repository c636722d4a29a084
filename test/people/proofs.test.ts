import assert from 'node:assert/strict';
import { test } from 'node:test';
import { passwordMatches } from '../../src/identity/passwords.ts';
import { changeEmailOf, findUserByEmail } from '../../src/identity/users.ts';
import { createGame, guestPath, newEmail, proveEmail, send as sendGuest } from '../kit/service/conversion.ts';
import { hiddenField, sendForm } from '../kit/service/forms.ts';
import { mailsTo } from '../kit/service/mailbox.ts';
import { createPerson } from '../kit/service/people.ts';
import { startTestService, type TestService } from '../kit/service/service.ts';
import { behindProxy, PASSWORD, personWithPassword, somewhere } from '../kit/service/with-password.ts';
import { changeAttempts } from '../rows/passing.ts';
import { prove } from './prove.ts';

const send = (service: TestService, path: string, fields: Record<string, string>, from = somewhere()) =>
  sendForm(service, path, fields, from);

test('limits of a proven e-mail address', async (t) => {
  const service = await startTestService(t, behindProxy);
  const { db } = service.service;

  await t.test('an address that only looks alike in another letter case finds no account', async () => {
    const person = await createPerson(service, { email: 'Victim.I@github.example' });
    assert.equal((await findUserByEmail(db, 'victim.i@GITHUB.example'))?.id, person.userId);
    // PostgreSQL's own rules fold İ to i and the Kelvin sign to k.
    for (const other of ['victim.i@gİthub.example', 'victim.İ@github.example']) {
      assert.equal(await findUserByEmail(db, other), null, other);
      assert.ok(await createPerson(service, { email: other }), 'it is somebody else’s');
    }
  });

  await t.test('codes go to the address as its owner wrote it, not as a stranger typed it', async () => {
    const person = await personWithPassword(service);
    const typed = person.email.toUpperCase();
    assert.ok(await prove(service, '/forgot', typed, person.email));
    assert.deepEqual(await mailsTo(service, typed), []);
  });

  await t.test('a reset is refused once the account’s address has changed', async () => {
    const person = await personWithPassword(service);
    const flow = await prove(service, '/forgot', person.email);
    assert.ok(await changeEmailOf(db, person.userId, { from: person.email, to: newEmail() }));
    const done = await send(service, '/forgot/password', { flow, password: 'the thief takes it' });
    assert.equal(done.statusCode, 401);
    assert.ok(await passwordMatches(db, person.userId, PASSWORD));
  });

  await t.test('resending a faulty form does not extend a proof', async () => {
    const game = await createGame(service);
    const guest = await proveEmail(service, guestPath(game, await service.createGuest(game)));
    const signUp = await prove(service, '/sign-up', newEmail());
    const reset = await prove(service, '/forgot', (await personWithPassword(service)).email);
    for (const [flow, answer] of [
      [guest, await sendGuest(service, 'finish', { flow: guest, display_name: '', password: '' })],
      [signUp, await send(service, '/sign-up/finish', { flow: signUp, display_name: '', password: '' })],
      [reset, await send(service, '/forgot/password', { flow: reset, password: '' })],
    ] as const) {
      assert.equal(answer.statusCode, 422);
      assert.equal(hiddenField(answer.body, 'flow'), flow);
    }
  });

  await t.test('password resets of one account are throttled', async () => {
    const person = await personWithPassword(service);
    const flow = await prove(service, '/forgot', person.email);
    const from = somewhere();
    const set = (password: string) => send(service, '/forgot/password', { flow, password }, from);
    assert.equal((await set('the new password')).statusCode, 303);
    await changeAttempts(db, { count: 1 }, { count: 20 });
    const refused = await set('another password');
    assert.equal(refused.statusCode, 429);
    assert.match(
      refused.body,
      /Too many attempts\..*name="flow"|name="flow".*Too many attempts\./s,
      'to send it later',
    );
  });

  await t.test('a signed-in thief cannot use up the owner’s password resets', async () => {
    const person = await personWithPassword(service);
    const change = (current: string) =>
      sendForm(
        service,
        '/account/password',
        { csrf: person.csrf, current_password: current, password: 'of who is signed in' },
        { cookie: person.cookie, ...somewhere() },
      );
    assert.equal((await change(PASSWORD)).statusCode, 303);
    await changeAttempts(db, { count: 1 }, { count: 10 });
    const refused = await change('of who is signed in');
    assert.equal(refused.statusCode, 429);
    assert.match(refused.body, /role="alert">Too many attempts\.[^<]*<a href="\/forgot\?return_to=%2Faccount">/);
    const flow = await prove(service, '/forgot', person.email);
    assert.equal((await send(service, '/forgot/password', { flow, password: 'of the owner' })).statusCode, 303);
  });
});
