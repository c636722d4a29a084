import assert from 'node:assert/strict';
import { chmod, chown, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { SMTPServer } from 'smtp-server';
import { keccak256, toHex } from 'viem';
import { findOperator, listRelayers } from '../../src/chain/relayers.ts';
import { slowing } from '../../src/wings/doctor/diagnostics/database-checks.ts';
import { createDatabase } from '../kit/service/database.ts';
import { startEvm } from '../kit/service/evm.ts';
import { examined, findingsOf, saysOf, settingsOf } from '../kit/service/examined.ts';
import { inDatabase, onServer } from '../kit/service/postgres.ts';
import { startTestService } from '../kit/service/service.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { startFaultProxy } from '../kit/unit/fault-proxy.ts';
import { scratchFolder } from '../kit/unit/scratch.ts';
import { until } from '../kit/unit/until.ts';
import { addLaterMigration, raiseLevel } from '../rows/older-schema.ts';

const PUBLIC = { DATABASE_URL: 'postgres://127.0.0.1:1/quarters', CHAIN_RPC_URL: 'http://127.0.0.1:1' };

test('every fault of the settings is said at once, and what can be checked is still checked', async (t) => {
  const findings = await examined(t, {
    ...PUBLIC,
    PUBLIC_URL: 'http://quarters.invalid',
    PORT: 'eighty',
    SMTP_URI: 'smtp://mail.example',
    TRUSTED_PROXY: '1',
    QUARTERS_MAX_BACKLOG: '5',
    HOME: '/root',
    HTTP_PROXY: '',
    METRICS: 'public',
    WEBHOOK_PRIVATE_TARGETS: 'on',
    MAIL_WITHOUT_SMTP: 'on',
    COMPLETE_AFTER: '100',
    FINAL_AFTER: '10',
    MAX_BACKLOG_PER_APP: '30000',
    WITHDRAWALS: 'on',
    WITHDRAWAL_USER_DAY_LIMIT: '20000',
    AUTO_APPROVE_PER_TRANSFER: '2000',
  });
  const says = saysOf(findings, 'Settings');
  for (const line of [
    /^bad: PORT must be a whole number/m,
    /^bad: AUTO_APPROVE_PER_TRANSFER \(2000\) is more than/m,
    /^warning: SMTP_URI is not a setting.* Did you mean SMTP_URL\?$/m,
    /^warning: TRUSTED_PROXY is not a setting.* Did you mean TRUST_PROXY\?$/m,
    /^warning: QUARTERS_MAX_BACKLOG is not a setting.* Did you mean MAX_BACKLOG\?$/m,
    /^bad: PUBLIC_URL is http/m,
    /^warning: HOST is localhost, so players of quarters\.invalid come through a proxy/m,
    /^bad: WEBHOOK_PRIVATE_TARGETS is on/m,
    /^warning: METRICS is public/m,
    /^warning: MAIL_WITHOUT_SMTP is on/m,
    /^warning: COMPLETE_AFTER \(100\) is more than FINAL_AFTER/m,
    /^warning: MAX_BACKLOG_PER_APP/m,
    /^warning: WITHDRAWALS is on without a mail server/m,
    /^warning: WITHDRAWAL_USER_DAY_LIMIT \(20000\) is more than/m,
  ]) {
    assert.match(says, line);
  }
  assert.equal(findingsOf(findings, 'Settings').length, 14, says);
  assert.match(saysOf(findings, 'Database'), /^bad: The database quarters at 127\.0\.0\.1:1 cannot be reached/);
  assert.match(saysOf(findings, 'Chain'), /^bad: 127\.0\.0\.1:1 does not answer/);
});

test('a setting that cannot be read is not taken for one that is not given', async (t) => {
  const says = saysOf(await examined(t, { DATABASE_URL: 'quarters', CHAIN_RPC_URL: '' }), 'Settings');
  assert.match(says, /DATABASE_URL must be a URL/);
  assert.match(says, /CHAIN_RPC_URL is not set/);
  assert.doesNotMatch(says, /DATABASE_URL is not set/);
});

test('a database that would do harm is found: role, defaults, encoding, later tables', async (t) => {
  const url = await createDatabase(t);
  const name = new URL(url).pathname.slice(1);
  const [latin, role] = [`${name}_latin`, `${name}_role`];
  const run = (statement: string) => onServer(url, statement);
  await run(`CREATE ROLE ${role} LOGIN PASSWORD 'doctor' CONNECTION LIMIT 12`);
  await run(`ALTER ROLE ${role} SET statement_timeout = '5s'`);
  await run(`ALTER ROLE ${role} SET default_transaction_isolation = 'serializable'`);
  await run(`ALTER DATABASE ${name} SET session_replication_role = 'replica'`);
  await run(`ALTER DATABASE ${name} SET synchronous_commit = 'off'`);
  await run(`GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role}`);
  await addLaterMigration(url);
  await raiseLevel(url);
  await run(`CREATE DATABASE ${latin} TEMPLATE template0 ENCODING LATIN1 LOCALE_PROVIDER libc LOCALE 'C'`);
  atEnd(t, async () => {
    await run(`DROP DATABASE ${latin} WITH (FORCE)`);
    await run(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  });
  const asRole = Object.assign(new URL(url), { username: role, password: 'doctor' }).href;
  const findings = await examined(t, { DATABASE_URL: asRole });
  const says = saysOf(findings, 'Database');
  for (const line of [
    /^bad: The role \w+ may not create tables in its schema\. GRANT CREATE/m,
    /^bad: default_transaction_isolation is serializable/m,
    /^bad: session_replication_role is replica/m,
    /^warning: The role or the database has statement_timeout=5s/m,
  ]) {
    assert.match(says, line);
  }
  assert.match(saysOf(findings, 'Durability'), /^bad: synchronous_commit is off/m);
  assert.match(saysOf(findings, 'Tables'), /^bad: The tables are those of a later version/);
  assert.match(
    saysOf(await examined(t, { DATABASE_URL: inDatabase(url, latin) }), 'Database'),
    /^bad: .* text as LATIN1/m,
  );
});

test('settings of the database that make each payment dearer are found', async (t) => {
  const url = await createDatabase(t);
  await onServer(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET wal_compression = 'pglz'`);
  const says = saysOf(await examined(t, { DATABASE_URL: url }), 'Database');
  assert.match(says, /^warning: wal_compression is pglz.* Set it to lz4, or off\./m);
  const buffers = 128 * 1024 ** 2;
  assert.deepEqual(slowing({ walCompression: 'lz4', buffers, touched: buffers }), []);
  const [small] = slowing({ walCompression: 'off', buffers, touched: 3 * buffers });
  assert.equal(small?.says, 'shared_buffers is 128 MB. The accounts and their indexes take 384 MB.');
});

test('tables that a later release of the same level has updated are in order, as the start takes them', async (t) => {
  const url = await createDatabase(t);
  await addLaterMigration(url);
  const says = saysOf(await examined(t, { DATABASE_URL: url }), 'Tables');
  assert.match(says, /^good: A later version has updated the tables/);
});

test('connections for all workers are counted before they start', async (t) => {
  const s = await sharedService(t);
  const [most] = await s.service.db.query<{ most: string }>(`SELECT current_setting('max_connections') AS most`);
  const says = saysOf(await examined(t, { ...settingsOf(s), WORKERS: '64' }), 'Processes');
  assert.ok(Number(most!.most) < 64 * 19, 'the test needs a server with fewer connections');
  assert.match(says, /^warning: The role may have \d+ connections\. 64 processes need 1216\. Raise max_connections/);
});

test('the master key of another installation, an open file and a lost one are found', async (t) => {
  const s = await sharedService(t);
  const { MASTER_KEY: key, ...env } = settingsOf(s);
  const folder = await scratchFolder(t);
  const file = join(folder, 'master.key');
  const withFile = async () => saysOf(await examined(t, { ...env, MASTER_KEY_FILE: file }), 'Master key');
  assert.match(await withFile(), /^bad: The master key file .* is missing\. Restore it/);
  await writeFile(file, `${key}\n`);
  await chmod(file, 0o644);
  assert.match(await withFile(), /^bad: Other users of this machine may read the master key\. Run: chmod 600 \S+$/);
  await chmod(file, 0o600);
  assert.match(await withFile(), /^good: /);
  await writeFile(file, '7'.repeat(64));
  assert.match(
    await withFile(),
    /^bad: The master key \(\S+\) does not open this database\. .* of another installation\./,
  );

  const byCommand = async (command: string) =>
    saysOf(await examined(t, { ...env, MASTER_KEY_COMMAND: command }), 'Master key');
  assert.match(await byCommand(`echo ${key}`), /^good: /);
  assert.match(
    await byCommand('echo no such secret >&2; exit 3'),
    /^bad: .* code 3: no such secret Run the command as/,
  );

  const open = join(folder, 'open');
  await mkdir(open, { mode: 0o777 });
  await chmod(open, 0o777);
  assert.match(saysOf(await examined(t, { QUARTERS_DATA_DIR: open }), 'Data folder'), /^warning: Other users/);
});

/** The user of our image. */
const SERVICE_USER = 10001;

test('what Kubernetes mounts raises no warning: a secret and a data folder of root', {
  skip: process.getuid?.() !== 0 && 'only root can give files away',
}, async (t) => {
  const { MASTER_KEY: key, ...env } = settingsOf(await sharedService(t));
  const [dataDir, secrets] = [await scratchFolder(t), await scratchFolder(t)];
  const file = join(secrets, 'master-key');
  await writeFile(file, `${key}\n`);
  await chown(file, 0, SERVICE_USER);
  await chmod(file, 0o440);
  await chown(dataDir, 0, SERVICE_USER);
  await chmod(dataDir, 0o2777);
  t.mock.method(process as { getuid: () => number }, 'getuid', () => SERVICE_USER);
  const mounted = { ...env, QUARTERS_DATA_DIR: dataDir, MASTER_KEY_FILE: file };
  const found = await examined(t, mounted);
  assert.match(saysOf(found, 'Master key'), /^good: It opens the keys of this database/);
  assert.match(saysOf(found, 'Data folder'), /^good: /);

  await chown(file, SERVICE_USER + 1, SERVICE_USER);
  assert.match(saysOf(await examined(t, mounted), 'Master key'), /^warning: The master key belongs to another user/);
  await chown(dataDir, SERVICE_USER + 1, SERVICE_USER);
  assert.match(saysOf(await examined(t, mounted), 'Data folder'), /^warning: Other users of this machine may open/);
});

test('endpoints that are down, foreign, behind or refuse batches are named, and not what their address holds', async (t) => {
  const s = await sharedService(t);
  const foreign = await startEvm({ args: ['--chain-id', '4242'] });
  atEnd(t, () => foreign.stop());
  const [through, refusing] = [await startFaultProxy(t, s.evm.url), await startFaultProxy(t, s.evm.url)];
  refusing.inject({ fault: 'item-errors', method: 'eth_chainId', message: 'rate limit' });
  const env = settingsOf(s);
  const chainOf = async (...urls: string[]) =>
    saysOf(await examined(t, { ...env, CHAIN_RPC_URL: urls.join(',') }), 'Chain');

  const says = await chainOf(`${through.url}/v1/secret-key`, 'http://127.0.0.1:1/secret-key', foreign.url);
  assert.match(says, /^bad: 127\.0\.0\.1:1 does not answer: connect ECONNREFUSED/m);
  assert.match(says, /^bad: \S+ is on chain 4242, but the database belongs to chain 31337/m);
  assert.match(says, /^bad: The endpoints are on different chains/m);
  assert.doesNotMatch(says, /secret-key/);

  const restored = await startEvm({});
  atEnd(t, () => restored.stop());
  await s.evm.rpc('anvil_mine', ['0x8']);
  const behind = await chainOf(s.evm.url, restored.url);
  assert.match(behind, /^warning: \S+ is \d+ blocks behind the other endpoints/m);
  assert.match(behind, /^warning: \S+ has no logs of block \d+, where our first quarters are/m);
  assert.match(
    await chainOf(refusing.url),
    /^bad: \S+ does not answer: .*(rate limit|limits our requests)|^warning: \S+ does not answer 64 calls/m,
  );
});

test('a chain that proves no logs is named, as is one endpoint that alone vouches for them', async (t) => {
  const s = await sharedService(t);
  await s.evm.rpc('evm_mine');
  const proxy = await startFaultProxy(t, s.evm.url);
  const chainWith = async (proof: string, ...urls: string[]) =>
    saysOf(await examined(t, { ...settingsOf(s), CHAIN_PROOF: proof, CHAIN_RPC_URL: urls.join(',') }), 'Chain');
  assert.match(await chainWith('receipts', proxy.url), /^good: /);
  assert.match(await chainWith('agreement', proxy.url), /^warning: Only one endpoint vouches for the logs of blocks/);
  assert.match(await chainWith('agreement', proxy.url, s.evm.url), /^good: /);
  proxy.inject({ fault: 'item-errors', method: 'eth_getBlockReceipts', message: 'the method is not available' });
  assert.match(await chainWith('receipts', proxy.url), /^bad: No endpoint proves the receipts of its blocks/);
  assert.match(await chainWith('auto', proxy.url), /^warning: Only one endpoint vouches for the logs of blocks/);
});

test('contracts with other code, a pause or another supply are found, and gas that nobody can pay', async (t) => {
  const s = await startTestService(t);
  const env = settingsOf(s);
  const { token, settlement } = s.service.chain.contracts;
  const contracts = async () => saysOf(await examined(t, env), 'Contracts');
  const code = await s.evm.rpc('eth_getCode', [settlement, 'latest']);
  await s.evm.rpc('anvil_setCode', [settlement, `${code}00`]);
  assert.match(await contracts(), /^bad: The settlement contract at 0x\w+ has other code than ours/);
  await s.evm.rpc('anvil_setCode', [settlement, '0x']);
  assert.match(await contracts(), /^bad: There is no settlement contract at 0x/);
  await s.evm.rpc('anvil_setCode', [settlement, code]);

  // ERC20 of OpenZeppelin keeps the supply in slot 2.
  const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}`;
  await s.evm.rpc('anvil_setStorageAt', [token, word(2), word(1234)]);
  await s.evm.rpc('anvil_mine', ['0x1']);
  await until('the block is in the ledger', async () =>
    /^bad: The ledger has [\d,]+ quarters, and the token 1,234/m.test(await contracts()),
  );

  const { address: operator } = await findOperator(s.service.db);
  await s.evm.rpc('anvil_impersonateAccount', [operator]);
  await s.evm.rpc('eth_sendTransaction', [{ from: operator, to: token, data: '0x8456cb59' }]);
  await until('the token is paused', async () => /^bad: The token is paused/m.test(await contracts()));

  const role = keccak256(toHex('PAUSER_ROLE'));
  // renounceRole(bytes32,address)
  const renounce = `0x36568abe${role.slice(2)}${operator.slice(2).toLowerCase().padStart(64, '0')}`;
  await s.evm.rpc('eth_sendTransaction', [{ from: operator, to: token, data: renounce }]);
  await until('the operator cannot end the pause', async () =>
    /^warning: The operator’s account is not a pauser of the token\./m.test(await contracts()),
  );

  for (const { address } of await listRelayers(s.service.db)) await s.evm.rpc('anvil_setBalance', [address, '0x1']);
  await s.evm.rpc('anvil_setNextBlockBaseFeePerGas', ['0x2540be400']);
  await s.evm.rpc('anvil_mine', ['0x1']);
  const gas = saysOf(await examined(t, { ...env, MAX_FEE_PER_GAS_GWEI: '5' }), 'Gas');
  assert.match(gas, /^bad: Gas costs \d+ gwei, more than MAX_FEE_PER_GAS_GWEI \(5 gwei\)/m);
  assert.match(gas, /^bad: A relayer cannot pay for a transaction/m);
});

test('a clock that is a minute off is found, against database and chain', async (t) => {
  const s = await sharedService(t);
  const env = settingsOf(s);
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() - 60_000 });
  const [found] = findingsOf(await examined(t, env), 'Clock');
  assert.equal(found?.state, 'bad');
  assert.match(found?.says ?? '', /^The clock of .+ is \d+\.\d s ahead of that of this machine\.$/);
  assert.deepEqual(found?.facts.map(({ name }) => name).slice(0, 2), ['the database', 'the newest block']);
});

test('a mail server is asked with our credentials, and gets a mail only if that is wanted', async (t) => {
  const mails: string[] = [];
  const recipients: string[] = [];
  let refusal: { readonly at: 'MAIL FROM' | 'RCPT TO'; readonly code: number; readonly says: string } | null = null;
  const answer = (at: 'MAIL FROM' | 'RCPT TO') =>
    refusal?.at === at ? Object.assign(new Error(refusal.says), { responseCode: refusal.code }) : null;
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    onMailFrom: (_address, _session, done) => done(answer('MAIL FROM')),
    onRcptTo({ address }, _session, done) {
      recipients.push(address);
      done(answer('RCPT TO'));
    },
    onAuth: ({ password }, _session, done) =>
      password === 'right' ? done(null, { user: 'us' }) : done(new Error('no')),
    onData(stream, { envelope }, done) {
      mails.push(envelope.rcptTo.map(({ address }) => address).join());
      stream.resume().on('end', () => done());
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(t, () => new Promise<void>((resolve) => server.close(() => resolve())));
  const address = server.server.address() as { port: number };
  const env = (password: string) => ({ SMTP_URL: `smtp://us:${password}@127.0.0.1:${address.port}` });
  assert.match(
    saysOf(await examined(t, env('wrong')), 'Mail'),
    /^bad: The mail server \S+ cannot be used: .* Correct the user and the password/,
  );
  assert.match(saysOf(await examined(t, env('right')), 'Mail'), /^good: /);
  assert.deepEqual([mails, recipients], [[], ['postmaster@localhost']]);
  for (const [at, code, says, found] of [
    [
      'RCPT TO',
      504,
      '5.5.2 <pod>: Helo command rejected',
      /^bad: .* refused RCPT TO, .*: 504 5\.5\.2 <pod>.* Set MAIL_HELO/,
    ],
    ['MAIL FROM', 553, '5.7.1 not yours', /^bad: .* refused MAIL FROM, .*: 553 5\.7\.1 not yours\. Set MAIL_FROM/],
    ['RCPT TO', 550, '5.7.1 relaying denied', /^bad: .*: 550 5\.7\.1 relaying denied\. See what the server says/],
    ['RCPT TO', 550, '5.1.1 unknown', /^warning: .* for a mail to postmaster@localhost .*: 550 5\.1\.1 unknown\./],
    ['RCPT TO', 450, '4.2.0 greylisted', /^warning: .*: 450 4\.2\.0 greylisted\. It may take mails later/],
  ] as const) {
    refusal = { at, code, says };
    assert.match(saysOf(await examined(t, env('right')), 'Mail'), found);
    assert.match(saysOf(await examined(t, env('right'), 'me@studio.example'), 'Mail'), /me@studio\.example/);
  }
  refusal = null;
  assert.deepEqual(mails, []);
  const sent = await examined(t, env('right'), 'me@studio.example');
  assert.match(saysOf(sent, 'Mail'), /^good: The mail server has accepted a test mail to me@studio\.example/);
  assert.deepEqual(mails, ['me@studio.example']);
  const strange = await examined(t, { ...env('right'), PUBLIC_URL: 'https://quarters.invalid' });
  assert.match(saysOf(strange, 'Mail'), /^warning: MAIL_FROM is Quarters <quarters@localhost>/);
});
