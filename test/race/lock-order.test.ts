import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { asQuarters } from '../../src/base/quarters.ts';
import { hashSecret } from '../../src/base/secrets.ts';
import type { Queries } from '../../src/db/database.ts';
import { changePassword } from '../../src/features/credentials/change-password.ts';
import { removePasskeys } from '../../src/features/credentials/passkeys.ts';
import { issueKey } from '../../src/features/keys/keys.ts';
import { createRequest } from '../../src/features/requests/create-request.ts';
import { signOutElsewhere } from '../../src/features/sessions/sign-out.ts';
import { grantConsent } from '../../src/identity/consents.ts';
import { revokeMandate } from '../../src/identity/mandates.ts';
import { findUser, type User } from '../../src/identity/users.ts';
import {
  deleteGrant,
  deleteGrantsOfUser,
  deleteRecordsFor,
  deleteRecordsOfClient,
  deleteRecordsOfUser,
  hashId,
  type Model,
  storeRecord,
} from '../../src/oauth/records.ts';
import type { Session } from '../../src/oauth/sessions.ts';
import { OPERATOR } from '../../src/service/managers.ts';
import { assertLedgerIsChain } from '../kit/service/audit.ts';
import { grantMandate } from '../kit/service/grant-mandate.ts';
import { lockWaitersAre } from '../kit/service/lock-waiters.ts';
import { storePasskey } from '../kit/service/passkey.ts';
import { newPayment } from '../kit/service/payment.ts';
import { createPerson, signIn } from '../kit/service/people.ts';
import { startTestService } from '../kit/service/service.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { PASSWORD, personWithPassword } from '../kit/service/with-password.ts';
import { asApp, keyWith } from '../kit/unit/callers.ts';
import { goesByTheOrder, type Lock, locking } from './by-the-order.ts';

const newId = () => randomUUID();
const inAnHour = () => new Date(Date.now() + 3_600_000);

test('a server key’s request locks the key, the user and the consent, in this order', async (t) => {
  const s = await startTestService(t);
  const { db } = s.service;
  const app = await s.createApp();
  const keyHash = hashSecret(await issueKey(s.service, OPERATOR, app.id, keyWith(['create-requests'])));
  const { userId } = await createPerson(s);
  await grantConsent(db, { userId, appId: app.id, scopes: ['requests'] });
  const key: Lock = ['SELECT FROM app_keys WHERE hash = $1 FOR NO KEY UPDATE', [keyHash]];
  const user = locking('users', 'id', userId);
  const consent = locking('consents', 'user_id', userId);
  const ask = () => createRequest(s.service, { ...asApp(app.id), keyHash }, { tokens: 1, appId: app.id, userId });
  for (const [first, second] of [
    [key, user],
    [user, consent],
  ] as const) {
    await goesByTheOrder(db, first, second, ask);
  }
});

test('ending the other sessions locks them in the order of their keys', async (t) => {
  const s = await sharedService(t);
  const { db } = s.service;
  type Act = (user: User, session: Session) => Promise<unknown>;
  const acts: Record<string, Act> = {
    'by a button': (_user, session) => signOutElsewhere(s.service, session),
    'by a new password': (user, session) =>
      changePassword(s.service, user, session, {
        password: 'a brand new password',
        proof: { kind: 'password', password: PASSWORD },
        client: 'here',
      }),
    'by removing all passkeys': async (user, session) => {
      await storePasskey(s, user.id, 'Phone');
      await removePasskeys(s.service, user, session);
    },
  };
  for (const [name, act] of Object.entries(acts)) {
    await t.test(name, async () => {
      const { userId } = await personWithPassword(s);
      const { session } = await signIn(s, userId);
      const rows = await db.query<{ hash: Buffer; uid: string }>(
        `SELECT hash, uid FROM oauth_records WHERE model = 'Session' AND user_id = $1 ORDER BY hash`,
        [userId],
      );
      const [low, high] = rows.map(({ hash }) => locking('oauth_records', 'hash', hash));
      const own = { ...session, uid: rows[1]!.uid };
      const user = (await findUser(db, userId))!;
      await goesByTheOrder(db, low!, high!, () => act(user, own));
    });
  }
});

test('a token locks its app before its grant, as deleting the app does', async (t) => {
  const s = await sharedService(t);
  const { db } = s.service;
  const app = await s.createApp();
  const { userId } = await createPerson(s);
  const ofGrant = { grantId: newId(), accountId: userId, clientId: app.id };
  const store = (model: Model, id: string) => storeRecord(db, model, id, ofGrant, inAnHour());
  await store('Grant', ofGrant.grantId);
  const forDeletion = (table: string, column: string, value: unknown): Lock => [
    `SELECT FROM ${table} WHERE ${column} = $1 FOR UPDATE`,
    [value],
  ];
  const grant = forDeletion('oauth_records', 'hash', hashId(ofGrant.grantId));
  await goesByTheOrder(db, forDeletion('apps', 'id', app.id), grant, async () => {
    assert.equal(await store('AccessToken', newId()), true);
  });
});

test('whatever ends tokens locks them in the order of their keys', async (t) => {
  const s = await sharedService(t);
  const { db } = s.service;
  const app = await s.createApp();
  type Ids = { readonly userId: User['id']; readonly grantId: string };
  const acts: Record<string, (tx: Queries, ids: Ids) => Promise<unknown>> = {
    'of one authorization': (tx, { grantId }) => deleteGrant(tx, grantId),
    'of a user and an app': (tx, { userId }) => deleteRecordsOfClient(tx, userId, app.id),
    'of a user': (tx, { userId }) => deleteGrantsOfUser(tx, userId),
    'of a user, and sessions': (tx, { userId }) => deleteRecordsOfUser(tx, userId),
    'of an app': (tx) => deleteRecordsFor(tx, app.id),
  };
  for (const [name, act] of Object.entries(acts)) {
    await t.test(name, async () => {
      const { userId } = await createPerson(s);
      const ofGrant = { grantId: newId(), accountId: userId, clientId: app.id };
      await storeRecord(db, 'Grant', ofGrant.grantId, ofGrant, inAnHour());
      const ids = [newId(), newId()].sort((a, b) => hashId(a).compare(hashId(b)));
      // The later key is stored first, so the order of storing is not the order of the keys.
      for (const id of ids.toReversed()) await storeRecord(db, 'AccessToken', id, ofGrant, inAnHour());
      const [low, high] = ids.map((id) => locking('oauth_records', 'hash', hashId(id)));
      await goesByTheOrder(db, low!, high!, () => db.transaction((tx) => act(tx, { userId, ...ofGrant })));
      assert.deepEqual(await db.query('SELECT FROM oauth_records WHERE grant_id = $1', [ofGrant.grantId]), []);
    });
  }
});

test('granting a mandate keeps the lock order, whether or not there was one before', async (t) => {
  const s = await startTestService(t);
  const { db } = s.service;
  const app = await s.createApp({ autoApprove: true });
  const limits = { maxPerTransfer: asQuarters(5), maxPerDay: asQuarters(5), days: 3 };
  const newPayer = async () => {
    const guest = await s.createGuest(app);
    await s.issue(guest.userId, 100);
    const payment = await newPayment(s, app, { guest });
    const form = { decision: 'approve', mandate: 'on', page_token: await payment.formToken() };
    return {
      pair: { userId: guest.userId, appId: app.id },
      approve: async () => assert.match((await payment.decide(form)).body, /"txId"|Approved|Paid/),
      request: locking('requests', 'id', payment.id),
      account: locking('accounts', 'address', guest.address.toLowerCase()),
      mandate: locking('mandates', 'user_id', guest.userId),
      maxPerTransfer: async () => {
        const rows = await db.query<{ max_per_transfer: bigint }>(
          `SELECT max_per_transfer FROM mandates
            WHERE user_id = $1 AND revoked_at IS NULL AND expires_at > now()`,
          [guest.userId],
        );
        return rows.map((row) => row.max_per_transfer);
      },
    };
  };
  const { mandatePerTransfer } = s.service.settings;

  await t.test('an approval locks the request, the account and the relayer, in this order', async () => {
    const payer = await newPayer();
    await goesByTheOrder(db, payer.request, payer.account, payer.approve);
    const another = await newPayer();
    await goesByTheOrder(db, another.account, locking('relayers', 'purpose', 'settlement'), another.approve, 200);
  });

  await t.test('a withdrawn mandate is locked before the account, and renewed', async () => {
    const payer = await newPayer();
    await grantMandate(db, { ...payer.pair, ...limits });
    await revokeMandate(db, payer.pair.userId, app.id);
    await goesByTheOrder(db, payer.mandate, payer.account, payer.approve);
    assert.deepEqual(await payer.maxPerTransfer(), [mandatePerTransfer]);
  });

  await t.test('a mandate made concurrently is not waited for while the account is locked', async () => {
    const payer = await newPayer();
    await db.transaction(async (holder) => {
      let approving: Promise<unknown> | undefined;
      await db.transaction(async (first) => {
        await first.query(...payer.account);
        approving = payer.approve();
        await lockWaitersAre(s.service, 1);
        await grantMandate(db, { ...payer.pair, ...limits });
        // A user of the mandate continues with the account.
        await holder.query(...payer.mandate);
      });
      await approving;
      await holder.query(...payer.account);
    });
    assert.deepEqual(await payer.maxPerTransfer(), [limits.maxPerTransfer]);
  });

  await s.settled();
  await assertLedgerIsChain(s.service);
});
