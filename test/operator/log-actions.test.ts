import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { asAddress, toChecksum } from '../../src/base/address.ts';
import { withContext } from '../../src/base/log.ts';
import { asQuarters } from '../../src/base/quarters.ts';
import { hashSecret } from '../../src/base/secrets.ts';
import { createUserKey } from '../../src/custody/new-keys.ts';
import { auditLedger } from '../../src/diagnostics/audit/audit-ledger.ts';
import { confirmEmailChange, startEmailChange } from '../../src/features/accounts/change-email.ts';
import { closeAccount } from '../../src/features/accounts/close-account.ts';
import { deleteApp } from '../../src/features/apps/delete-app.ts';
import { updateApp } from '../../src/features/apps/update-app.ts';
import { changePassword } from '../../src/features/credentials/change-password.ts';
import { removePasskey, removePasskeys } from '../../src/features/credentials/passkeys.ts';
import { redeemResetCode, resetPassword, sendResetCode } from '../../src/features/credentials/reset-password.ts';
import { replaceDataKey } from '../../src/features/custody/replace-data-key.ts';
import { cancelReplacement, replaceMasterKey } from '../../src/features/custody/replace-master-key.ts';
import { mergeGuest } from '../../src/features/guests/merge-guest.ts';
import { issueKey, revokeKey } from '../../src/features/keys/keys.ts';
import { approveAction, refuseAction } from '../../src/features/operator-actions/approve-action.ts';
import { performAction } from '../../src/features/operator-actions/perform-action.ts';
import type { ActingOperator } from '../../src/features/operators/operators.ts';
import { issueQuarters } from '../../src/features/payments/issue-quarters.ts';
import { payUser } from '../../src/features/payments/pay-user.ts';
import { acceptSuspension } from '../../src/features/repair/accept-suspension.ts';
import { planRepair, repairLedger } from '../../src/features/repair/repair-ledger.ts';
import { listReports } from '../../src/features/reports/reports.ts';
import { signUp } from '../../src/features/sessions/sign-up.ts';
import {
  addEndpoint,
  changeEndpoint,
  removeEndpoint,
  rotateEndpointSecret,
} from '../../src/features/webhooks/manage-webhook-endpoints.ts';
import { removeWithdrawalAddress, stopByLink } from '../../src/features/withdrawals/addresses.ts';
import { listKeys } from '../../src/identity/app-keys.ts';
import { findUser, findUserByEmail } from '../../src/identity/users.ts';
import { findAccounts, recoverAccounts } from '../../src/ledger/accounts.ts';
import { suspend } from '../../src/ledger/suspension.ts';
import { ALL_LOGGED_ACTIONS, type LoggedAction } from '../../src/operator-log/logged-actions.ts';
import { insertReport } from '../../src/requests/reports.ts';
import { asDeveloper, OPERATOR } from '../../src/service/managers.ts';
import {
  answerInvitation,
  inviteMember,
  withdrawInvitation,
} from '../../src/wings/developers-console/features/invitations.ts';
import { changeRole, handOver, leaveTeam, removeMember } from '../../src/wings/developers-console/features/members.ts';
import { refundAsMember } from '../../src/wings/developers-console/features/refund-as-member.ts';
import { planPruning, pruneLog } from '../../src/wings/operators-log/features/prune-log.ts';
import { chainEntries } from '../../src/wings/operators-log/store/chain.ts';
import { convert, createGame, guestPath } from '../kit/service/conversion.ts';
import { addMember } from '../kit/service/developer.ts';
import { startHeldChain } from '../kit/service/held-chain.ts';
import { approve, askFor } from '../kit/service/history.ts';
import { codeIn, mailAtOnce, mailsTo } from '../kit/service/mailbox.ts';
import {
  addOperator,
  cancelTransfer,
  disableAutoApproval,
  enableAutoApproval,
  grantReward,
  joinAccount,
  removeOperator,
  resolveReport,
  unverifyApp,
  verifyApp,
} from '../kit/service/operator-acts.ts';
import { storePasskey } from '../kit/service/passkey.ts';
import { createPerson, PASSWORD } from '../kit/service/people.ts';
import { startTestService, type TestApp, type TestService } from '../kit/service/service.ts';
import { behindProxy, personWithPassword } from '../kit/service/with-password.ts';
import { newWithdrawer, outsideAddress } from '../kit/service/withdrawer.ts';
import { asApp } from '../kit/unit/callers.ts';
import { changeAccounts } from '../rows/ledger.ts';
import { ageDataKeys } from '../rows/sealed-keys.ts';

const CLIENT = '203.0.113.7';
const EMAIL = 'ada@mail.example';
const NEW_PASSWORD = 'another horse battery';

/** What a scenario did: the actions that the log must have, in their order. */
type Scenario = (s: TestService, hold: () => Promise<void>) => Promise<unknown>;

const developerOf = ({ session }: Awaited<ReturnType<typeof createPerson>>) => asDeveloper(session);

async function appOf(s: TestService) {
  const owner = await createPerson(s);
  const { id } = await s.createApp({ ownerId: owner.userId });
  return { owner, id, developer: developerOf(owner) };
}

async function userOf(s: TestService) {
  const person = await personWithPassword(s);
  return { person, user: (await findUser(s.service.db, person.userId))! };
}

const SHELL: ActingOperator = { kind: 'shell', osUser: 'deploy' };
const OTHER_SHELL: ActingOperator = { kind: 'shell', osUser: 'finance' };

const perform = ({ service }: TestService, kind: string, params: Record<string, string>) =>
  performAction(service, SHELL, { id: randomUUID(), kind, params, reason: 'A test' });

/** Adding an operator needs a second person, where any action does. */
async function proposeOperator(s: TestService) {
  const { email, userId } = await createPerson(s);
  await storePasskey(s, userId, 'Security key');
  return perform(s, 'add-operator', { email });
}

/** By the actions that each records, separated by spaces. Each calls the features, as pages, API and commands do. */
const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'account-created': ({ service }) =>
    signUp(service, { email: EMAIL, displayName: 'Ada', password: PASSWORD, client: CLIENT, former: undefined }),
  'guest-converted': async (s) => {
    const game = await createGame(s);
    const guest = await s.createGuest(game);
    assert.equal((await convert(s, guestPath(game, guest))).statusCode, 303);
  },
  'guest-merged': async (s) => {
    const app = await s.createApp();
    const { userId, accessToken } = await s.createGuest(app);
    const { person, user: into } = await userOf(s);
    const flow = { flowId: randomUUID(), redirectUri: null, codeChallenge: undefined };
    const guest = { appId: app.id, userId, tokenHash: hashSecret(accessToken), ...flow };
    assert.equal((await mergeGuest(s.service, { ...guest, into, session: person.session })).kind, 'converted');
  },
  'account-joined': async (s) => {
    const { user } = await userOf(s);
    const { address, keyId } = createUserKey(s.service.vault);
    await recoverAccounts(s.service.db, [{ address, keyId, at: new Date() }]);
    await s.issue(address, 10);
    await joinAccount(s.service, user.id, address);
    await s.settled();
    const [account] = await findAccounts(s.service.db, { users: [user.id] });
    assert.equal(account!.posted, 10n);
    await assert.rejects(joinAccount(s.service, user.id, address), { code: 'not-found' });
  },
  'password-changed': async (s) => {
    const { person, user } = await userOf(s);
    const proof = { kind: 'password', password: PASSWORD } as const;
    await changePassword(s.service, user, person.session, { password: NEW_PASSWORD, proof, client: CLIENT });
  },
  'password-reset': async ({ service }) => {
    const user = (await findUserByEmail(service.db, EMAIL))!;
    const source = { email: EMAIL, client: CLIENT, knownBrowsers: [] };
    const sent = (await mailsTo({ service }, EMAIL)).length;
    const id = await sendResetCode(service, source);
    const code = codeIn(await mailAtOnce({ service }, EMAIL, sent + 1));
    const right = await redeemResetCode(service, { ...source, id, code });
    assert.equal(right?.userId, user.id);
    assert.ok(await resetPassword(service, right, { password: NEW_PASSWORD, client: CLIENT, former: undefined }));
  },
  'email-changed': async (s) => {
    const { person, user } = await userOf(s);
    const change = await startEmailChange(s.service, user, person.session, 'new@mail.example');
    const oldCode = codeIn(await mailAtOnce(s, user.email));
    const newCode = codeIn(await mailAtOnce(s, 'new@mail.example'));
    const { kind } = await confirmEmailChange(s.service, user, person.session, change, { oldCode, newCode });
    assert.equal(kind, 'changed');
  },
  'passkey-removed operator-removed': async (s) => {
    const { person, user } = await operatorOf(s);
    const [passkey] = await s.service.db.query<{ id: string }>('SELECT id FROM passkeys WHERE user_id = $1', [user.id]);
    await removePasskey(s.service, user, person.session, passkey!.id);
  },
  'passkeys-removed operator-removed': async (s) => {
    const { person, user } = await operatorOf(s);
    await removePasskeys(s.service, user, person.session);
  },
  'operator-removed account-closed': async (s) => {
    const { person, user } = await operatorOf(s);
    assert.ok(await closeAccount(s.service, user, person.session));
  },
  'operator-added operator-removed': async (s) => {
    const person = await createPerson(s);
    await storePasskey(s, person.userId, 'Key');
    await addOperator(s.service, person.email);
    await addOperator(s.service, person.email);
    await removeOperator(s.service, person.email);
  },
  'app-registered key-issued key-issued': (s) => s.createApp(),
  'app-changed app-deleted': async (s) => {
    const { id, developer } = await appOf(s);
    await updateApp(s.service, developer, id, { name: 'Other Race' });
    await updateApp(s.service, developer, id, { name: 'Other Race' });
    await deleteApp(s.service, OPERATOR, id);
  },
  'app-verified app-unverified': async (s) => {
    const { id } = await appOf(s);
    await verifyApp(s.service, id);
    await verifyApp(s.service, id);
    await unverifyApp(s.service, id);
  },
  'auto-approval-enabled auto-approval-disabled': async (s) => {
    const { id } = await appOf(s);
    await enableAutoApproval(s.service, id);
    await disableAutoApproval(s.service, id);
  },
  'team-changed team-changed team-changed app-handed-over': async (s) => {
    const { id, developer } = await appOf(s);
    const [heir, guest] = [await createPerson(s), await createPerson(s)];
    await addMember(s, id, heir, 'developer');
    await addMember(s, id, guest, 'viewer');
    await changeRole(s.service, developer, id, heir.userId, 'admin');
    await removeMember(s.service, developer, id, guest.userId);
    await addMember(s, id, guest, 'viewer');
    await leaveTeam(s.service, developerOf(guest), id);
    await handOver(s.service, developer, id, heir.userId);
  },
  'team-changed team-changed team-changed team-changed': async (s) => {
    const { id, developer } = await appOf(s);
    const invited = await createPerson(s);
    const invite = () => inviteMember(s.service, developer, id, { email: invited.email, role: 'viewer' });
    await invite();
    await withdrawInvitation(s.service, developer, id, invited.email);
    await invite();
    await answerInvitation(s.service, invited.session, id, 'join');
  },
  'key-issued key-revoked': async (s) => {
    const { id, developer } = await appOf(s);
    const [first] = await listKeys(s.service.db, id, { living: true });
    await issueKey(s.service, developer, id, { kind: 'server', scopes: ['guests'], payPerDay: null });
    await revokeKey(s.service, developer, id, first!.id);
  },
  'webhook-changed webhook-changed webhook-changed webhook-changed': async (s) => {
    const { id } = await appOf(s);
    const manager = { by: OPERATOR, appId: id };
    const url = 'https://game.example/hook?token=secret';
    const endpoint = await addEndpoint(s.service, manager, { url, types: null });
    await changeEndpoint(s.service, manager, endpoint.id, { enabled: false });
    await rotateEndpointSecret(s.service, manager, endpoint.id);
    await removeEndpoint(s.service, manager, endpoint.id);
  },
  'quarters-issued': async (s) => {
    const { id } = await appOf(s);
    const issue = () => issueQuarters(s.service, { recipient: id, amount: asQuarters(100), key: 'once' });
    await issue();
    await issue();
    await s.settled();
  },
  'payment-refunded': async (s) => {
    const { id, developer, owner } = await appOf(s);
    await s.issue(owner.userId, 100);
    const asked = await askFor(s, { id } as TestApp, owner, 40);
    await approve(s, asked);
    await s.settled();
    const refund = { requestId: asked.id, amount: asQuarters(15), formId: randomUUID() };
    await refundAsMember(s.service, developer, id, refund);
    await refundAsMember(s.service, developer, id, refund);
    await s.settled();
  },
  'reward-granted': async (s) => {
    const { userId } = await createPerson(s);
    const grant = () => grantReward(s.service, { user: userId, amount: asQuarters(5), key: 'once' });
    await grant();
    await grant();
  },
  'report-resolved': async (s) => {
    const app = await s.createApp();
    const { userId } = await s.createGuest(app);
    await insertReport(s.service.db, { appId: app.id, userId, requestId: null as never, reason: 'pretends', text: '' });
    const [report] = await listReports(s.service);
    await resolveReport(s.service, report!.id);
  },
  'log-pruned': async ({ service }) => {
    await service.db.transaction((tx) => chainEntries(tx, 500));
    await pruneLog(service, await planPruning(service, { sequence: 3n }));
  },
  'ledger-repaired': async (s) => {
    const app = await s.createApp();
    await s.issue(app.id, 50);
    await s.settled();
    await changeAccounts(s.service.db, { address: app.address.toLowerCase() }, { posted: 51 });
    await repairLedger(s.service, await planRepair(s.service, await auditLedger(s.service), null));
  },
  'transfer-cancelled': async (s, hold) => {
    const app = await s.createApp();
    await s.issue(app.id, 50);
    const guest = await s.createGuest(app);
    await hold();
    const payout = { from: asAddress(app.address), amount: 7, user: guest.userId };
    await cancelTransfer(s.service, (await payUser(s.service, asApp(app.id), payout)).transferId);
  },
  'kit-kept backup-reported': async (s) => {
    await perform(s, 'confirm-copy', { copy: 'kit' });
    await perform(s, 'confirm-copy', { copy: 'backup' });
  },
  'master-key-added master-key-withdrawn master-key-added master-key-replaced': async ({ service }) => {
    await replaceMasterKey(service, join(service.settings.dataDir, 'new.key'));
    await cancelReplacement(service);
    await replaceMasterKey(service, null);
  },
  'data-key-replaced data-keys-deleted': async ({ service }) => {
    await replaceDataKey(service);
    await ageDataKeys(service.db, '32 days');
    await replaceDataKey(service);
  },
  'suspension-accepted': async ({ service }) => {
    await suspend(service.db, { relayers: [], authorizations: [], authorizationsInAll: 2 });
    await acceptSuspension(service);
  },
  'user-frozen user-unfrozen': async (s) => {
    const { userId: user } = await createPerson(s);
    await perform(s, 'freeze-user', { user });
    await perform(s, 'unfreeze-user', { user });
  },
  'app-suspended app-resumed': async (s) => {
    const { id: app } = await appOf(s);
    await perform(s, 'suspend-app', { app });
    await perform(s, 'resume-app', { app });
  },
  'withdrawal-address-added withdrawal-address-removed': async (s) => {
    const { user, add } = await newWithdrawer(s);
    const address = toChecksum(outsideAddress());
    await add(address);
    await removeWithdrawalAddress(s.service, user, address);
  },
  'withdrawal-address-added withdrawal-address-stopped': async (s) => {
    const { person, add } = await newWithdrawer(s);
    await add(toChecksum(outsideAddress()));
    const { text } = await mailAtOnce(s, person.email);
    await stopByLink(s.service, /\?token=(\S+)/.exec(text)![1]!);
  },
  'action-proposed action-approved': async (s) => {
    const { action } = await proposeOperator(s);
    await approveAction(s.service, OTHER_SHELL, { id: action.id, hash: action.paramsHash });
  },
  'action-proposed action-rejected': async (s) => {
    const { action } = await proposeOperator(s);
    await refuseAction(s.service, OTHER_SHELL, action.id);
  },
};

async function operatorOf(s: TestService) {
  const found = await userOf(s);
  await storePasskey(s, found.user.id, 'Key');
  await addOperator(s.service, found.user.email);
  return found;
}

/** A passkey needs a browser that makes it, and a sweep a service that is stopped. */
const ELSEWHERE: Readonly<Partial<Record<LoggedAction, string>>> = {
  'batch-paid': 'cli/pay.test.ts',
  'database-restored': 'custody/restore.test.ts',
  'liabilities-published': 'liabilities/pages.test.ts',
  'month-archived': 'archive/detaching.test.ts',
  'month-attached': 'archive/detaching.test.ts',
  'month-detached': 'archive/detaching.test.ts',
  'passkey-added': 'people/passkeys.test.ts',
  'seed-replaced': 'custody/sweep.test.ts',
  'sweep-finished': 'custody/sweep.test.ts',
};

test('every action of the registry is recorded by its feature, once, with who and from where', async (t) => {
  const chain = await startHeldChain(t);
  const s = await startTestService(t, {
    env: { ...behindProxy.env, FOUR_EYES_ABOVE: '1000000', WITHDRAWALS: 'on' },
    chain,
  });
  const { db } = s.service;
  const newEntries = async (after: bigint) =>
    db.query<{ id: bigint; action: LoggedAction; entry: string }>(
      'SELECT id, action, entry::text AS entry FROM operator_log WHERE id > $1 ORDER BY id',
      [after],
    );
  const secrets = [PASSWORD, NEW_PASSWORD, 'mail.example', 'token=secret', CLIENT];
  for (const [actions, act] of Object.entries(SCENARIOS)) {
    await t.test(actions, async () => {
      const before = (await newEntries(0n)).at(-1)?.id ?? 0n;
      await withContext({ requestId: actions, client: CLIENT }, () => act(s, chain.hold));
      const made = await newEntries(before);
      // A scenario also records what it prepares.
      const wanted = actions.split(' ');
      const recorded = made.map(({ action }) => action).filter((action) => wanted.includes(action));
      assert.deepEqual(recorded.slice(-wanted.length), wanted);
      const last = JSON.parse(made.filter(({ action }) => action === wanted.at(-1)).at(-1)!.entry);
      assert.ok(actions === 'guest-converted' || last.from.request === actions);
      assert.match(last.from.client, /^c_/);
      for (const { entry } of made) for (const secret of secrets) assert.ok(!entry.includes(secret), entry);
    });
  }
  const covered = [...Object.keys(SCENARIOS).flatMap((actions) => actions.split(' ')), ...Object.keys(ELSEWHERE)];
  assert.deepEqual(
    ALL_LOGGED_ACTIONS.filter((action) => !covered.includes(action)),
    [],
  );
  assert.deepEqual(ALL_LOGGED_ACTIONS, ALL_LOGGED_ACTIONS.toSorted());
  for (const [action, file] of Object.entries(ELSEWHERE)) {
    assert.ok(readFileSync(join(import.meta.dirname, '..', file), 'utf8').includes(`'${action}'`));
  }
});
