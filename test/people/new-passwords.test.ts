import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashSecret } from '../../src/base/secrets.ts';
import { convertGuest } from '../../src/features/guests/convert-guest.ts';
import { signUp } from '../../src/features/sessions/sign-up.ts';
import { hashPassword, passwordMatches, storePassword } from '../../src/identity/passwords.ts';
import { findUser, findUserByEmail } from '../../src/identity/users.ts';
import { createGame, guestPath, newEmail, proveEmail } from '../kit/service/conversion.ts';
import { sendForm } from '../kit/service/forms.ts';
import { createPerson, type Person, signIn } from '../kit/service/people.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { send } from '../kit/service/visits.ts';
import { behindProxy, PASSWORD, personWithPassword, somewhere } from '../kit/service/with-password.ts';
import { agePassword } from '../rows/users.ts';
import { prove } from './prove.ts';

const NEW = 'a brand new password';
const NAME = 'Zwerling';

test('rules for new passwords', async (t) => {
  const service = await sharedService(t, behindProxy);
  const { db } = service.service;
  const submit = (path: string, fields: Record<string, string>) => sendForm(service, path, fields, somewhere());
  const change = (person: Pick<Person, 'cookie' | 'csrf'>, current_password: string, password = NEW) =>
    send(service, person, '/account/password', { current_password, password }, somewhere());

  await t.test('every form that sets a password applies the password rules', async () => {
    const game = await createGame(service);
    const guest = await service.createGuest(game);
    const [signUpEmail, guestEmail] = [newEmail(), newEmail()];
    const forgetful = await createPerson(service, { displayName: NAME, email: newEmail() });
    const changing = await personWithPassword(service);
    const signUpFlow = await prove(service, '/sign-up', signUpEmail);
    const guestFlow = await proveEmail(service, guestPath(game, guest), guestEmail);
    const resetFlow = await prove(service, '/forgot', forgetful.email);
    const forms = {
      'sign-up': (password: string) =>
        submit('/sign-up/finish', { flow: signUpFlow, display_name: NAME, password }).then(pageOf),
      'a guest': (password: string) =>
        submit('/guest/finish', { flow: guestFlow, display_name: NAME, password }).then(pageOf),
      reset: (password: string) => submit('/forgot/password', { flow: resetFlow, password }).then(pageOf),
      change: (password: string) => change(changing, PASSWORD, password),
    };
    const owners = { 'sign-up': signUpEmail, 'a guest': guestEmail, reset: forgetful.email, change: changing.email };
    for (const [form, set] of Object.entries(forms)) {
      for (const [password, said] of [
        ['eleven char', /id="password-error">Use at least 12 characters\.</],
        ['Password1234', /id="password-error">This password is too easy to guess\./],
        [owners[form as keyof typeof owners], /id="password-error">This is too close to your name or e-mail address\./],
        [`${form === 'change' ? changing.email.split('@')[0] : NAME}2026`, /too close to your name/],
      ] as const) {
        const answer = await set(password);
        assert.ok([400, 422].includes(answer.status), `${form}: ${password} is answered ${answer.status}`);
        assert.match(answer.body, said, `${form}: ${password}`);
      }
    }
    assert.equal(await findUserByEmail(db, signUpEmail), null);
    assert.equal((await findUser(db, guest.userId))?.kind, 'guest');
    assert.ok(await passwordMatches(db, changing.userId, PASSWORD));
    for (const [form, set] of Object.entries(forms)) assert.ok([200, 303].includes((await set(NEW)).status), form);
  });

  await t.test('the use cases apply the password rules even if a page does not', async () => {
    const here = { displayName: NAME, password: 'Password1234', client: 'here' };
    const refused = { code: 'invalid-input' };
    await assert.rejects(signUp(service.service, { ...here, email: newEmail(), former: undefined }), refused);
    const app = await service.createApp();
    const guest = await service.createGuest(app);
    const conversion = {
      ...here,
      appId: app.id,
      userId: guest.userId,
      tokenHash: hashSecret(guest.accessToken),
      email: newEmail(),
      flowId: 'flow',
      redirectUri: null,
      codeChallenge: undefined,
      signIn: null,
    };
    await assert.rejects(convertGuest(service.service, conversion), refused);
    assert.equal((await findUser(db, guest.userId))?.kind, 'guest');
  });

  await t.test('passwords from before the rules keep working until they are changed', async () => {
    for (const old of ['8 chars!', 'password', 'x'.repeat(200)]) {
      const person = await createPerson(service);
      await storePassword(db, person.userId, await hashPassword(old));
      const signedIn = await submit('/sign-in', { email: person.email, password: old });
      assert.equal(signedIn.statusCode, 303, old);
      assert.equal((await change(person, old, old)).status, 400);
      assert.equal((await change(person, old)).status, 303);
    }
  });

  await t.test('a password change needs the current password, however fresh the sign-in is', async () => {
    const person = await personWithPassword(service);
    for (const current of ['', 'wrong password', NEW]) {
      const answer = await change(person, current);
      assert.equal(answer.status, 400);
      assert.match(answer.body, /id="current_password-error">This isn’t your current password\.</);
      assert.doesNotMatch(answer.body, /value="(wrong password|a brand new password)"/);
    }
    assert.ok(await passwordMatches(db, person.userId, PASSWORD));
    const late = await signIn(service, person.userId, 60 * 24);
    assert.equal((await change(late, PASSWORD)).status, 303, 'and with it no fresh sign-in');
  });

  await t.test('a password change sent twice at once is made once, and both answers succeed', async () => {
    const person = await personWithPassword(service);
    const both = await Promise.all([change(person, PASSWORD), change(person, PASSWORD)]);
    assert.deepEqual(
      both.map(({ status }) => status),
      [303, 303],
    );
    assert.equal((await change(person, PASSWORD)).status, 303, 'the same once more');
  });

  await t.test(
    'with a wrong proof, a password change does not reveal whether the new password is the current one',
    async () => {
      const person = await personWithPassword(service);
      await agePassword(db, person.userId, '2 minutes');
      const answer = await change(person, 'wrong password', PASSWORD);
      assert.equal(answer.status, 400);
      assert.match(answer.body, /This isn’t your current password/);
    },
  );

  await t.test('of two different password changes at once, one is made', async () => {
    const person = await personWithPassword(service);
    const both = await Promise.all([change(person, PASSWORD), change(person, PASSWORD, 'another new password')]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [303, 400]);
  });
});

const pageOf = ({ statusCode, body }: { statusCode: number; body: string }) => ({ status: statusCode, body });
