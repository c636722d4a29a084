import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPasskeyDevice, type PasskeyDevice } from '../../local/emulator/passkey-device.ts';
import { toChecksum } from '../../src/base/address.ts';
import { newTransferId } from '../../src/base/ids.ts';
import { PASSKEY_ACTS, type PasskeyUse } from '../../src/identity/passkeys.ts';
import { createGame, guestPath, proveEmail } from '../kit/service/conversion.ts';
import { sendForm } from '../kit/service/forms.ts';
import { createPerson, type Person, signIn } from '../kit/service/people.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { behindProxy } from '../kit/service/with-password.ts';
import { outsideAddress, readyWithdrawer, type Withdrawer } from '../kit/service/withdrawer.ts';

type Fields = Readonly<Record<string, string>>;
type Signed = Pick<Person, 'cookie' | 'csrf'>;

/** Somebody with a passkey and an address, a guest who has proved an address, and what each form holds. */
type World = Withdrawer & {
  readonly fields: Readonly<Record<PasskeyUse['act'], Fields>>;
  readonly device: PasskeyDevice;
};

/** Where an answer of a passkey counts. The page's script posts the form to `options`, and again with the answer. */
type Place = {
  readonly options: string;
  readonly answer: string;
  readonly isSignedIn: boolean;
  /** It asks for a new passkey. */
  readonly makes: boolean;
  /** Each of these may not change between the two. */
  readonly bound: Fields;
};

const PLACES: Readonly<Record<PasskeyUse['act'], Place>> = {
  'sign-in': {
    ...{ options: '/passkeys/sign-in/options', answer: '/passkeys/sign-in', isSignedIn: false, makes: false },
    bound: {},
  },
  'sign-in-again': {
    ...{ options: '/passkeys/sign-in/options', answer: '/passkeys/sign-in', isSignedIn: true, makes: false },
    bound: { again: 'false' },
  },
  'new-password': {
    ...{ options: '/account/password/passkey/options', answer: '/account/password/passkey' },
    ...{ isSignedIn: true, makes: false, bound: { password: 'a brand new password of a thief' } },
  },
  'new-passkey': {
    ...{ options: '/passkeys/options', answer: '/passkeys', isSignedIn: true, makes: true },
    bound: { name: 'Key of a thief' },
  },
  'first-passkey': {
    ...{ options: '/guest/passkey', answer: '/guest/finish', isSignedIn: false, makes: true },
    bound: {},
  },
  'withdrawal-address': {
    ...{ options: '/account/withdraw/addresses/options', answer: '/account/withdraw/addresses' },
    ...{ isSignedIn: true, makes: false, bound: { address: toChecksum(outsideAddress()) } },
  },
  withdrawal: {
    ...{ options: '/account/withdraw/options', answer: '/account/withdraw', isSignedIn: true, makes: false },
    bound: { form: newTransferId(), address: toChecksum(outsideAddress()), amount: '2' },
  },
};

test('an answer of a passkey counts for what it was asked for, and for nothing else', async (t) => {
  const s = await sharedService(t, { env: { ...behindProxy.env, WITHDRAWALS: 'on', FINAL_AFTER: '1' } });
  const { app, origin } = s;
  const game = await createGame(s);

  const newWorld = async (): Promise<World> => {
    const withdrawer = await readyWithdrawer(s, 10, await createPerson(s, { methods: ['hwk'] }));
    const flow = await proveEmail(s, guestPath(game, await s.createGuest(game)));
    const address = toChecksum(withdrawer.to);
    const fields = {
      'sign-in': {},
      'sign-in-again': { again: 'true' },
      'new-password': { password: 'a brand new password' },
      'new-passkey': { name: 'Key' },
      'first-passkey': { flow, display_name: 'Ada' },
      'withdrawal-address': { address: toChecksum(outsideAddress()) },
      withdrawal: { form: newTransferId(), address, amount: '1' },
    };
    return { ...withdrawer, fields, device: newPasskeyDevice() };
  };
  const post = (url: string, who: Signed | null, payload: object) =>
    app.inject({
      method: 'POST',
      url,
      headers: { origin, ...(who && { cookie: who.cookie }) },
      payload: { ...payload, ...(who && { csrf: who.csrf }) },
    });
  const ask = async ({ person, fields }: World, act: PasskeyUse['act']): Promise<string> => {
    const { options, isSignedIn } = PLACES[act];
    const answer = await post(options, isSignedIn ? person : null, fields[act]);
    assert.equal(answer.statusCode, 200, answer.body);
    return answer.json().challenge;
  };
  const give = async (world: World, act: PasskeyUse['act'], answer: object, more: Fields = {}, who?: Signed) => {
    const { answer: url, isSignedIn } = PLACES[act];
    const fields = { ...world.fields[act], ...more };
    const given =
      act === 'first-passkey'
        ? await sendForm(s, url, { ...fields, passkey: JSON.stringify(answer) })
        : await post(url, isSignedIn ? (who ?? world.person) : null, { ...fields, answer });
    return given.statusCode;
  };

  for (const act of PASSKEY_ACTS) {
    await t.test(act, async () => {
      const world = await newWorld();
      const { makes, bound, isSignedIn } = PLACES[act];
      const challenge = await ask(world, act);
      const made = world.device.make(challenge, origin);
      const signed = world.passkey.sign(challenge, origin);
      for (const other of PASSKEY_ACTS.filter((one) => one !== act)) {
        assert.equal(await give(world, other, PLACES[other].makes ? made : signed), 422, `given for ${other}`);
      }
      const answer = makes ? made : signed;
      for (const [name, value] of Object.entries(bound)) {
        assert.equal(await give(world, act, answer, { [name]: value }), 422, `with another ${name}`);
      }
      if (isSignedIn) {
        const elsewhere = await signIn(s, world.person.userId, 0, ['hwk']);
        assert.equal(await give(world, act, answer, {}, elsewhere), 422, 'in another session of the same person');
      }
      assert.ok([200, 303].includes(await give(world, act, answer)), 'for what it was asked for');
      assert.deepEqual(await s.service.db.query('SELECT FROM passkey_challenges'), [], 'and that is used up');
    });
  }
});
