import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { before, describe, test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { CONTROLS } from '../../local/emulator/control/controls.ts';
import { describeControls } from '../../local/emulator/control/description.ts';
import { freshEmulator, type TestEmulator } from './kit.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const description = describeControls() as {
  paths: Record<string, Record<string, { operationId: string }>>;
  components: { schemas: Record<string, object> };
};
const isFault = new Ajv2020({ strict: false }).compile(description.components.schemas.Fault!);

test('the description of the control API is valid OpenAPI 3.1', async () => {
  const validator = new Validator();
  assert.deepEqual(await validator.validate(structuredClone(description)), { valid: true });
  assert.equal(validator.version, '3.1');
});

test('each control is described once', () => {
  const described = Object.entries(description.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { operationId }]) => `${operationId} ${method.toUpperCase()} ${path}`),
  );
  const served = CONTROLS.map(({ operationId, method, path }) => `${operationId} ${method} ${path}`);
  assert.ok(served.length > 0);
  assert.deepEqual(described.sort(), served.sort());
  assert.equal(new Set(CONTROLS.map(({ operationId }) => operationId)).size, CONTROLS.length);
});

test('each operation is called by both clients', () => {
  const sourcesOf = (pattern: string) =>
    globSync(pattern, { cwd: ROOT })
      .map((file) => readFileSync(join(ROOT, file), 'utf8'))
      .join('\n');
  const typescript = sourcesOf('sdk/emulator/src/*.ts');
  const csharp = sourcesOf('sdk/csharp/Testing/*.cs');
  for (const { operationId } of CONTROLS) {
    assert.ok(typescript.includes(`call('${operationId}'`), `sdk/emulator has no method for ${operationId}`);
    const name = operationId.charAt(0).toUpperCase() + operationId.slice(1);
    assert.match(csharp, new RegExp(`Operations\\.${name}\\b`), `Quarters.Testing has no method for ${operationId}`);
  }
});

describe('the control API', () => {
  let emulator: TestEmulator;
  before(async () => {
    emulator = await freshEmulator();
  });

  const answerOf = async (address: string, options: RequestInit = {}) => {
    const response = await fetch(address, options);
    return { status: response.status, body: (await response.json()) as { code: string } };
  };

  test('answers nobody without the token of the start line', async () => {
    const address = `${emulator.control}/emulator/v1`;
    const near = `${emulator.token.slice(0, -1)}${emulator.token.endsWith('A') ? 'B' : 'A'}`;
    for (const authorization of [undefined, '', 'Bearer', `Bearer ${near}`, emulator.token])
      for (const path of ['/state', '/openapi.json', '/nothing']) {
        const { status, body } = await answerOf(`${address}${path}`, {
          headers: authorization ? { authorization } : {},
        });
        assert.deepEqual([status, body.code], [401, 'token-invalid'], `${authorization} ${path}`);
        assert.ok(isFault(body));
      }
    const { status } = await answerOf(`${address}/reset`, { method: 'POST', body: '{}' });
    assert.equal(status, 401);
  });

  test('refuses with a code and a message, whatever is wrong', async () => {
    const headers = { authorization: `Bearer ${emulator.token}`, 'content-type': 'application/json' };
    const post = (path: string, body: string, more = {}) =>
      answerOf(`${emulator.control}/emulator/v1${path}`, { method: 'POST', headers: { ...headers, ...more }, body });
    for (const [answer, status, code] of [
      [() => post('/snapshots', '{}'), 400, 'invalid-input'],
      [() => post('/snapshots', '{"name":7}'), 400, 'invalid-input'],
      [() => post('/snapshots', '{"name":"a","other":1}'), 400, 'invalid-input'],
      [() => post('/snapshots', '[]'), 400, 'invalid-input'],
      [() => post('/snapshots', '{"name":'), 400, 'invalid-input'],
      [() => post('/snapshots', 'name=a', { 'content-type': 'text/csv' }), 415, 'invalid-input'],
      [() => post('/reset', '{"to":"nowhere"}'), 409, 'refused'],
      [() => post('/apps', '{"webhook":"no address"}'), 400, 'invalid-input'],
      [() => post('/nothing', '{}'), 404, 'not-found'],
      [() => answerOf(`${emulator.control}/emulator/v1/reset`, { headers }), 404, 'not-found'],
      [() => answerOf(`${emulator.control}/nothing`), 404, 'not-found'],
    ] as const) {
      const { status: found, body } = await answer();
      assert.deepEqual([found, body.code], [status, code], JSON.stringify(body));
      assert.ok(isFault(body), JSON.stringify(body));
    }
  });

  test('serves its own description, as the docs have it', async () => {
    const served = await emulator.call('GET', '/openapi.json');
    assert.deepEqual(served, JSON.parse(readFileSync(join(ROOT, 'docs/emulator-openapi.json'), 'utf8')));
  });

  test('answers as it describes', async () => {
    const ajv = new Ajv2020({ strict: false, formats: { 'date-time': true } });
    const { ReadStateResult, CreateAppResult } = description.components.schemas;
    const state = await emulator.call('GET', '/state');
    assert.ok(ajv.validate(ReadStateResult!, state), ajv.errorsText());
    const app = await emulator.call('POST', '/apps', { quarters: 5 });
    assert.ok(ajv.validate(CreateAppResult!, app), ajv.errorsText());
    assert.equal(await emulator.call('POST', '/settle'), undefined);
  });

  test('is not on the port of the service', async () => {
    for (const token of ['', emulator.token]) {
      const headers = { authorization: `Bearer ${token}` };
      assert.equal((await answerOf(`${emulator.url}/emulator/v1/state`, { headers })).status, 404);
      assert.equal((await answerOf(`${emulator.url}/emulator/v1/reset`, { headers, method: 'POST' })).status, 404);
    }
  });
});
