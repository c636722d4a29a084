import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { json } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { sharedService } from '../kit/service/shared-service.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { type Description, operationsOf, type Parameter, resolved } from '../kit/unit/description.ts';
import { scratchFolder } from '../kit/unit/scratch.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const LIBRARY = join(ROOT, 'sdk/src/index.ts');

/** What an example sent. */
type Sent = { readonly line: string; readonly query: string[]; readonly bearer: boolean; readonly body: unknown };

/** The JavaScript examples as readers see them, by `operationId`. */
async function readExamples(origin: string, description: Description): Promise<Map<string, string>> {
  const examples = new Map<string, string>();
  const tags = new Set(operationsOf(description).flatMap(({ operation }) => operation.tags));
  for (const tag of tags) {
    const html = await (await fetch(`${origin}/docs/reference/${tag.toLowerCase()}`)).text();
    for (const [, id = '', section = ''] of html.matchAll(/<section class="call" id="(\w+)">([\s\S]*?)<\/section>/g)) {
      const code = /aria-label="JavaScript: [^"]*"><code>([\s\S]*?)<\/code>/.exec(section)?.[1] ?? '';
      const entities = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' };
      examples.set(
        id,
        Object.entries(entities).reduce((text, [entity, sign]) => text.replaceAll(entity, sign), code),
      );
    }
  }
  return examples;
}

/** A server that answers each call with the example of the description, and keeps what it got. */
async function startRecorder(t: TestContext, description: Description): Promise<{ origin: string; calls: Sent[] }> {
  const calls: Sent[] = [];
  const operations = operationsOf(description).map((each) => ({
    ...each,
    pattern: new RegExp(`^${each.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }));
  const record = async (request: IncomingMessage): Promise<[status: number, example: unknown]> => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://recorder');
    const body = request.headers['content-type'] ? await json(request) : undefined;
    calls.push({
      line: `${request.method} ${pathname}`,
      query: [...searchParams.keys()],
      bearer: /^Bearer <(access token|server API key)>$/.test(request.headers.authorization ?? ''),
      body,
    });
    const found = operations.find(({ method, pattern }) => method === request.method && pattern.test(pathname));
    const [[status, answer] = []] = Object.entries(found?.operation.responses ?? {});
    const example = (answer?.content['application/json']?.example ?? {}) as object;
    // One page of a list: the example goes on until there is none.
    return [Number(status ?? 404), 'next' in example ? { ...example, next: null } : example];
  };
  const server = createServer(async (request, response) => {
    const [status, example] = await record(request);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(example));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(t, () => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls };
}

test('every JavaScript example has the types of the library', async (t) => {
  const { origin } = await sharedService(t);
  const description = (await (await fetch(`${origin}/openapi.json`)).json()) as Description;
  const examples = await readExamples(origin, description);
  const folder = await scratchFolder(t);
  for (const [id, code] of examples) await writeFile(join(folder, `${id}.ts`), code);
  const compilerOptions = {
    target: 'esnext',
    module: 'nodenext',
    moduleDetection: 'force',
    lib: ['esnext', 'dom', 'dom.iterable'],
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules/@types')],
    paths: { 'quarters-sdk': [LIBRARY] },
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
  };
  // So that top-level `await` is allowed.
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { code = 0, stdout } = (await promisify(execFile)(process.execPath, [tsc, '-p', folder]).catch(
    (error: { code: number; stdout: string }) => error,
  )) as { code?: number; stdout: string };
  assert.equal(code, 0, stdout);
  assert.ok(examples.has('receiveEvent'));
});

test('every JavaScript example sends the call that the description shows', async (t) => {
  const { origin } = await sharedService(t);
  const description = (await (await fetch(`${origin}/openapi.json`)).json()) as Description;
  const examples = await readExamples(origin, description);
  const recorder = await startRecorder(t, description);
  const folder = await scratchFolder(t);
  t.mock.method(console, 'log', () => {});
  for (const { method, path, operation } of operationsOf(description)) {
    const { operationId, parameters = [], requestBody, security } = operation;
    const code = examples.get(operationId);
    assert.ok(code, `${operationId} has an example`);
    const file = join(folder, `${operationId}.mjs`);
    const library = pathToFileURL(LIBRARY).href;
    await writeFile(file, code.replaceAll(origin, recorder.origin).replace(`'quarters-sdk'`, `'${library}'`));
    recorder.calls.length = 0;
    await import(pathToFileURL(file).href);

    const inputs = parameters.map((parameter) => resolved<Parameter>(description, parameter));
    const named = (place: string) => inputs.filter((input) => input.in === place);
    const url = named('path').reduce((all, { name, example }) => all.replace(`{${name}}`, String(example)), path);
    const [sent] = recorder.calls;
    assert.equal(recorder.calls.length, 1, operationId);
    assert.equal(sent?.line, `${method} ${url}`);
    assert.equal(sent.bearer, security.length > 0, `${operationId}: its credential`);
    for (const name of sent.query)
      assert.ok(
        named('query').some((input) => input.name === name),
        `${operationId}: ${name}`,
      );
    const example = requestBody?.content['application/json']?.example;
    if (requestBody?.required || sent.body !== undefined) assert.deepEqual(sent.body, example, operationId);
  }
});
