import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import fastify from 'fastify';
import { decorateWords } from '../../src/web/readers-words.ts';
import { sendFile } from '../../src/web/send-file.ts';
import { openShell } from '../../src/web/shell.ts';
import { languagesWith } from '../../src/words/languages.ts';
import { seedOf } from '../kit/run/seed.ts';
import { HOUSE } from '../kit/service/house.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { until } from '../kit/unit/until.ts';

const PEOPLE = ['ada', 'eve', 'joe'];
const PIECE = 'x'.repeat(64 * 1024);

/** The work for files that is going on, by person. */
type Work = { readonly now: Map<string, number>; most: number };

/** A server of files without an end. `/{person}/fails`: reading cannot begin. `/{person}/late`: it begins when the client has left. */
async function serveFiles(t: TestContext): Promise<{ origin: string; work: Work }> {
  const work: Work = { now: new Map(PEOPLE.map((person) => [person, 0])), most: 0 };
  const add = (person: string, change: 1 | -1) => {
    const now = work.now.get(person)! + change;
    work.now.set(person, now);
    work.most = Math.max(work.most, now);
  };
  const endless = (person: string): AsyncIterableIterator<string> => ({
    async next() {
      await turn();
      return { value: PIECE };
    },
    async return() {
      add(person, -1);
      return { value: undefined, done: true };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  });
  const server = fastify();
  const settings = { brandName: 'Quarters', brandAccent: '#f5b301' } as Parameters<typeof openShell>[0];
  server.decorate('shell', openShell(settings, 'https://quarters.example', HOUSE));
  decorateWords(server, { languages: languagesWith('en'), publicUrl: 'https://quarters.example' });
  server.get('/:person/:how', (call, reply) => {
    const { person, how } = call.params as { person: string; how: string };
    return sendFile(reply, { id: person as never }, { name: 'all.txt', type: 'text/plain' }, async () => {
      await turn();
      if (how === 'late' && !reply.raw.destroyed) await once(reply.raw, 'close');
      if (how === 'fails') throw new Error('nothing to read');
      add(person, 1);
      return endless(person);
    });
  });
  atEnd(t, () => server.close());
  return { origin: await server.listen({ port: 0, host: '127.0.0.1' }), work };
}

/** What clients do. */
const CLIENTS = [
  { asks: 'reads', method: 'GET', leaves: 'at once' },
  { asks: 'reads', method: 'GET', leaves: 'with the answer' },
  { asks: 'reads', method: 'GET', leaves: 'while it is sent' },
  { asks: 'late', method: 'GET', leaves: 'at once' },
  { asks: 'fails', method: 'GET', leaves: 'with the answer' },
  { asks: 'reads', method: 'HEAD', leaves: 'with the answer' },
] as const;

type Visit = { readonly call: ClientRequest; readonly answer: Promise<IncomingMessage | null> };

function visit(url: string, method = 'GET'): Visit {
  const call = request(url, { method, agent: false });
  const answer = once(call, 'response').then(
    ([response]) => response as IncomingMessage,
    () => null,
  );
  call.on('error', () => {});
  call.end();
  return { call, answer };
}

async function leave({ call, answer }: Visit): Promise<void> {
  call.destroy();
  (await answer)?.on('error', () => {});
}

/** How many of several files asked for at once a person is sent. All others are refused. */
async function sentAtOnce(origin: string, person: string): Promise<number> {
  const visits = Array.from({ length: 5 }, () => visit(`${origin}/${person}/reads`));
  const answers = (await Promise.all(visits.map(({ answer }) => answer))).map((response) => response!);
  const refused = answers.filter((response) => response.statusCode === 429);
  const sent = answers.filter((response) => response.statusCode === 200);
  assert.equal(sent.length + refused.length, 5);
  for (const { headers } of refused) {
    assert.match(headers['content-type']!, /^text\/html/);
    assert.match(headers['retry-after']!, /^\d+$/);
  }
  for (const one of visits) await leave(one);
  return sent.length;
}

test('a person is sent two files at once, and gets a place back whenever work for one has ended', async (t) => {
  const { origin, work } = await serveFiles(t);
  const idle = () => until('no work is left', () => [...work.now.values()].every((count) => count === 0));
  const plans = fc.array(fc.tuple(fc.constantFrom(...PEOPLE), fc.constantFrom(...CLIENTS)), {
    minLength: 12,
    maxLength: 24,
  });

  await t.test('the others wait, and other people do not', async () => {
    const sent = await Promise.all(PEOPLE.map((person) => sentAtOnce(origin, person)));
    assert.deepEqual(sent, [2, 2, 2]);
    await idle();
  });

  await t.test('whenever clients leave', async () => {
    const property = fc.asyncProperty(plans, async (plan) => {
      await Promise.all(
        plan.map(async ([person, { asks, method, leaves }]) => {
          const one = visit(`${origin}/${person}/${asks}`, method);
          if (leaves === 'at once') await once(one.call, 'finish');
          else {
            const response = await one.answer;
            if (leaves === 'while it is sent') await Promise.race([once(response!, 'data'), once(response!, 'end')]);
          }
          await leave(one);
        }),
      );
      await idle();
      assert.equal(work.most, 2);
      for (const person of PEOPLE) assert.equal(await sentAtOnce(origin, person), 2);
      await idle();
    });
    await fc.assert(property, { seed: seedOf('downloads'), numRuns: 10 });
  });
});
