import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { packSdk } from '../../scripts/packages/sdk.ts';
import { flakyServer, json } from '../kit/unit/flaky-server.ts';
import { scratchFolder } from '../kit/unit/scratch.ts';
import { nodesToTry } from './nodes.ts';

const run = promisify(execFile);
const TSC = resolve(import.meta.dirname, '../../node_modules/typescript/bin/tsc');

/** What a game with its own tests writes. */
const GAME = `
import { type Balance, QuartersError, QuartersServer, signWebhook, VerificationError, verifyWebhook } from 'quarters-sdk';
import { loadQuarters, type Approved } from 'quarters-sdk/browser';

declare const process: { argv: string[] };
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

async function main(): Promise<void> {
  const server = new QuartersServer({ url: process.argv[2]!, serverKey: 'qk_x', appAddress: '0x1' });
  const balance: Balance = await server.balance();
  const sent = await signWebhook({ secret, event: { type: 'request.completed', data: { tokens: 5 } } });
  const { event } = await verifyWebhook({ ...sent, secret });
  const forged = await verifyWebhook({ ...sent, body: sent.body + ' ', secret }).catch((error: unknown) => error);
  console.log(balance.quarters, QuartersError.name, forged instanceof VerificationError);
  if (event.type === 'request.completed') {
    const tokens: number = event.data.tokens;
    // @ts-expect-error: that is another event's
    console.log(tokens, event.data.sequence, event.data.mergedInto);
  } else if (event.type === 'guest.merged') {
    const into: string = event.data.mergedInto;
    // @ts-expect-error: that is another event's
    console.log(into, event.data.tokens);
  }
  await loadQuarters('http://localhost').catch((error: Error) => console.log(error.message));
}

/** Is only compiled. */
export async function pay(requestId: string): Promise<Approved> {
  const { approve } = await loadQuarters('http://localhost');
  return approve({ requestId });
}

void main();
`;

test('the client library works and has types, as a module and in CommonJS', async (t) => {
  const { url } = await flakyServer(t, json([{ quarters: '7' }]));
  const folder = await scratchFolder(t);
  const [file] = await packSdk({ out: join(folder, 'packages'), repository: 'https://git.example/quarters' });
  await writeFile(join(folder, 'package.json'), '{}');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./packages/${file}`], { cwd: folder });
  const manifest = JSON.parse(await readFile(join(folder, 'node_modules/quarters-sdk/package.json'), 'utf8'));
  assert.equal(manifest.repository, 'https://git.example/quarters');
  assert.match(await readFile(join(folder, 'node_modules/quarters-sdk/LICENSE'), 'utf8'), /Apache License/);

  for (const [type, kind] of [
    ['module', 'nodenext'],
    ['commonjs', 'node16'],
  ] as const) {
    await t.test(type, async () => {
      const game = join(folder, type);
      await mkdir(game);
      await writeFile(join(game, 'package.json'), JSON.stringify({ type }));
      await writeFile(join(game, 'game.ts'), GAME);
      await run(process.execPath, [TSC, '--module', kind, '--target', 'es2022', '--strict', 'game.ts'], { cwd: game });
      for (const node of nodesToTry()) {
        const { stdout } = await run(node, [join(game, 'game.js'), url]);
        assert.deepEqual(stdout.trim().split('\n'), [
          '7 QuartersError true',
          '5 1 undefined',
          'loadQuarters works in a browser only',
        ]);
      }
    });
  }
});
