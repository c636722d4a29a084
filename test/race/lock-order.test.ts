import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAddress } from '../../src/base/address.ts';
import type { Hash } from '../../src/base/hex.ts';
import type { TransferId } from '../../src/base/ids.ts';
import { asQuarters } from '../../src/base/quarters.ts';
import { hashSecret } from '../../src/base/secrets.ts';
import { insertRelayer } from '../../src/chain/relayers.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { OPERATOR } from '../../src/features/apps/managers.ts';
import { changePassword } from '../../src/features/credentials/change-password.ts';
import { removePasskeys } from '../../src/features/credentials/passkeys.ts';
import { issueKey } from '../../src/features/keys/keys.ts';
import { createRequest } from '../../src/features/requests/create-request.ts';
import { signOutElsewhere } from '../../src/features/sessions/sign-out.ts';
import { grantConsent } from '../../src/identity/consents.ts';
import { grantMandate, revokeMandate } from '../../src/identity/mandates.ts';
import { findUser, type User } from '../../src/identity/users.ts';
import type { Session } from '../../src/oauth/sessions.ts';
import { insertAttempt } from '../../src/settlement/tables/transaction-attempts.ts';
import { insertTransactions, lockAttempts, markReplaced } from '../../src/settlement/tables/transactions.ts';
import { settleTransfers } from '../../src/settlement/tables/transfer-transitions.ts';
import { newPayment } from '../pages/payment.ts';
import { PASSWORD, personWithPassword } from '../people/with-password.ts';
import { insertTransferRows } from '../rows/transfers.ts';
import { atEnd } from '../support/at-end.ts';
import { assertLedgerIsChain } from '../support/audit.ts';
import { asApp, keyWith } from '../support/callers.ts';
import { createDatabase } from '../support/database.ts';
import { lockWaitersAre } from '../support/lock-waiters.ts';
import { storePasskey } from '../support/passkey.ts';
import { createPerson, signIn } from '../support/people.ts';
import { startTestService } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';

type Lock = readonly [text: string, values: readonly unknown[]];

const locking = (table: string, column: string, value: unknown): Lock => [
  `SELECT FROM ${table} WHERE ${column} = $1 FOR NO KEY UPDATE`,
  [value],
];

/**
 * A holder that follows the order has locked `first` when `act` begins, and `act` waits for it. Then the holder takes
 * `second`, which comes later in the order: if `act` had locked that already, both would wait for each other.
 */
async function goesByTheOrder(db: Database, first: Lock, second: Lock, act: () => Promise<unknown>): Promise<void> {
  let acting: Promise<unknown> | undefined;
  try {
    await db.transaction(async (tx) => {
      await tx.query(...first);
      acting = act();
      await lockWaitersAre({ db }, 1);
      await tx.query(`${second[0]} NOWAIT`, second[1]);
    });
  } finally {
    await acting;
  }
}

test('transactions and transfers are locked in the order of their keys', async (t) => {
  const db = openDatabase(await createDatabase(t));
  atEnd(t, () => db.close());
  const relayer = asAddress(`0x${'11'.repeat(20)}`);
  const [payer, payee] = [asAddress(`0x${'22'.repeat(20)}`), asAddress(`0x${'33'.repeat(20)}`)];
  await insertRelayer(db, { address: relayer, purpose: 'settlement', sealedKey: new Uint8Array(1) });

  // The row with the higher key comes first in the table, has the lower nonce, and is named first.
  const hash = (byte: string) => `0x${byte.repeat(32)}` as Hash;
  const [low, high] = [hash('00'), hash('ff')];
  const ids = ['ffffffff-ffff-7fff-bfff-ffffffffffff', '00000000-0000-7000-8000-000000000000'] as TransferId[];
  const stored = ids.map((id, i) => ({
    ...{ id, fromAddress: payer, toAddress: payee, authorizationNonce: hash(`a${i}`) },
  }));
  await insertTransferRows(db, stored);
  const transactions = [high, low].map((hash, i) => ({
    ...{ hash, relayer, nonce: BigInt(i), raw: Buffer.from('00', 'hex') },
    payload: i === 0 ? ids : [],
  }));
  await db.transaction((tx) => insertTransactions(tx, transactions));
  const attempt = (hash: string) => locking('transactions', 'hash', hash);
  const transfer = (id: string) => locking('transfers', 'id', id);

  await t.test('another attempt at a nonce that carries several transfers', async () => {
    const further = { hash: hash('77'), raw: Buffer.from('01', 'hex') };
    const replaced = { ...transactions[0]!, attempt: 0 };
    await goesByTheOrder(db, transfer(ids[1]!), transfer(ids[0]!), () =>
      db.transaction(async (tx) => {
        // As the planner would choose for many rows; otherwise it may happen to find them in order.
        for (const way of ['nestloop', 'mergejoin', 'indexscan', 'bitmapscan'])
          await tx.query(`SET LOCAL enable_${way} = off`);
        return insertAttempt(tx, replaced, further);
      }),
    );
    const found = await db.query<{ tx_hash: string }>('SELECT DISTINCT tx_hash FROM transfers');
    assert.deepEqual(found, [{ tx_hash: further.hash }]);
  });

  await t.test('attempts whose nonces are closed in turn', async () => {
    await goesByTheOrder(db, attempt(low), attempt(high), () =>
      db.transaction((tx) => lockAttempts(tx, relayer, [0n, 1n])),
    );
  });

  await t.test('attempts whose nonces somebody else used', async () => {
    await goesByTheOrder(db, attempt(low), attempt(high), () =>
      db.transaction((tx) => markReplaced(tx, relayer, [0n, 1n])),
    );
    const statuses = await db.query<{ status: string }>('SELECT DISTINCT status FROM transactions');
    assert.deepEqual(statuses, [{ status: 'replaced' }]);
  });

  await t.test('transfers of which one block pays one and cancels another', async () => {
    const verdicts = stored.map(({ authorizationNonce }, i) => ({
      ...{ kind: i === 0 ? ('used' as const) : ('canceled' as const), authorizer: payer },
      ...{ nonce: authorizationNonce, txHash: high },
    }));
    await goesByTheOrder(db, transfer(ids[1]!), transfer(ids[0]!), () =>
      db.transaction((tx) => settleTransfers(tx, verdicts, 7n)),
    );
    const settled = await db.query('SELECT id, status, tx_hash, decided_block FROM transfers ORDER BY status');
    assert.deepEqual(settled, [
      { id: ids[0], status: 'completed', tx_hash: high, decided_block: 7n },
      { id: ids[1], status: 'failed', tx_hash: high, decided_block: 7n },
    ]);
  });
});

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

test('granting a mandate keeps the lock order, whether or not there was one before', async (t) => {
  const s = await startTestService(t);
  const { db } = s.service;
  const app = await s.createApp({ autoApprove: true });
  const limits = { maxPerTransfer: asQuarters(5), maxPerDay: asQuarters(5), days: 3 };
  const newPayer = async () => {
    const guest = await s.createGuest(app);
    await s.issue(guest.userId, 100);
    const payment = await newPayment(s, app, { guest });
    const form = { decision: 'approve', standing: 'on', page_token: await payment.formToken() };
    return {
      pair: { userId: guest.userId, appId: app.id },
      approve: async () => assert.match((await payment.decide(form)).body, /"txId"|Approved|Paid/),
      account: locking('accounts', 'address', guest.address.toLowerCase()),
      mandate: locking('standing_approvals', 'user_id', guest.userId),
      maxPerTransfer: async () => {
        const rows = await db.query<{ max_per_transfer: bigint }>(
          `SELECT max_per_transfer FROM standing_approvals
            WHERE user_id = $1 AND revoked_at IS NULL AND expires_at > now()`,
          [guest.userId],
        );
        return rows.map((row) => row.max_per_transfer);
      },
    };
  };
  const { mandatePerTransfer } = s.service.settings;

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
