import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../../src/base/problems.ts';
import { missingProof, removePasskey } from '../../src/features/credentials/passkeys.ts';
import { holdActing } from '../../src/features/operators/operators.ts';
import { isOperator } from '../../src/identity/operators.ts';
import { findUser } from '../../src/identity/users.ts';
import { createDeveloper } from '../kit/service/developer.ts';
import { createOperator } from '../kit/service/operator.ts';
import { addOperator, removeOperator } from '../kit/service/operator-acts.ts';
import { storePasskey } from '../kit/service/passkey.ts';
import { createPerson, signIn } from '../kit/service/people.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { freeze, unfreeze } from '../kit/service/stopping.ts';

const codeOf = (act: Promise<unknown>) =>
  act.then(
    () => 'done',
    (error: unknown) => (error instanceof Problem ? error.code : Promise.reject(error)),
  );

test('the role of operators', async (t) => {
  const s = await sharedService(t);
  const { service } = s;
  const { db } = service;

  await t.test('the console exists for operators who signed in with a passkey, and for nobody else', async () => {
    const operator = await createOperator(s);
    const byPassword = await createOperator(s, { methods: ['pwd'] });
    const player = await createDeveloper(s);
    const page = '/operator/operators';
    const open = await operator.get(page);
    assert.equal(open.statusCode, 200);
    assert.match(open.body, new RegExp(operator.email));
    assert.match((await operator.get('/account')).body, /href="\/operator"/);
    assert.doesNotMatch((await player.get('/account')).body, /\/operator/);
    assert.equal((await player.get(page)).statusCode, 404);
    const refused = await byPassword.get(page);
    assert.equal(refused.statusCode, 403);
    assert.match(refused.body, /Sign in with a passkey/);
    assert.doesNotMatch(refused.body, new RegExp(operator.email));
    const signedOut = await s.app.inject({ url: page });
    assert.match(`${signedOut.headers.location}`, /^\/sign-in\?/);
    await removeOperator(service, operator.email);
    assert.equal((await operator.get(page)).statusCode, 404);
  });

  await t.test('somebody without a passkey does not get the role', async () => {
    const { email, userId } = await createPerson(s);
    assert.equal(await codeOf(addOperator(service, email)), 'invalid-input');
    assert.equal(await isOperator(db, userId), false);
  });

  await t.test('an operator adds a passkey only in a session that one has opened', async () => {
    const operator = await createOperator(s);
    const byPassword = await signIn(s, operator.userId);
    const byCode = await signIn(s, operator.userId, 0, ['pwd', 'otp']);
    const missing = async ({ session }: Pick<typeof operator, 'session'>) =>
      (await db.transaction((tx) => missingProof(tx, session)))?.code;
    const needed = 'passkey-needed';
    assert.deepEqual(await Promise.all([operator, byPassword, byCode].map(missing)), [undefined, needed, needed]);
  });

  await t.test('the role ends with the last passkey', async () => {
    const { userId, session } = await createOperator(s);
    const user = (await findUser(db, userId))!;
    const second = await storePasskey(s, userId, 'Phone');
    await removePasskey(service, user, session, second);
    assert.equal(await isOperator(db, userId), true);
    const [last] = await db.query<{ id: string }>('SELECT id FROM passkeys WHERE user_id = $1', [userId]);
    await removePasskey(service, user, session, last!.id);
    assert.equal(await isOperator(db, userId), false);
  });

  await t.test('a frozen operator has neither the console nor the right to act until that is lifted', async () => {
    const operator = await createOperator(s);
    const acting = { kind: 'person', session: operator.session } as const;
    const status = async () => (await operator.get('/operator/operators')).statusCode;
    await freeze(service, operator.userId);
    assert.equal(await status(), 404);
    assert.equal(await codeOf(db.transaction((tx) => holdActing(tx, acting))), 'role-not-allowed');
    await unfreeze(service, operator.userId);
    assert.equal(await status(), 200);
    assert.equal(await codeOf(db.transaction((tx) => holdActing(tx, acting))), 'done');
  });

  await t.test('whoever acts has the role and the session until the change is committed', async () => {
    const { session, email } = await createOperator(s);
    const acting = { kind: 'person', session } as const;
    assert.equal(await codeOf(db.transaction((tx) => holdActing(tx, acting))), 'done');
    await removeOperator(service, email);
    assert.equal(await codeOf(db.transaction((tx) => holdActing(tx, acting))), 'role-not-allowed');
  });
});
