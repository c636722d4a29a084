import assert from 'node:assert/strict';
import { test } from 'node:test';
import { committedWith, inTransaction, type Tx } from '../../src/db/transactions.ts';

type Sent = { readonly text: string; answer(rows?: object[]): void; refuse(error: Error): void };

/** A connection whose replies come when the test wants. */
function scripted() {
  const sent: Sent[] = [];
  const client = {
    query(config: string | { readonly text: string }) {
      const { promise, resolve, reject } = Promise.withResolvers<object>();
      const text = typeof config === 'string' ? config : config.text;
      sent.push({ text, answer: (rows = []) => resolve({ rows, command: text }), refuse: reject });
      return promise;
    },
    on() {},
    off() {},
    release() {},
  };
  const deps = {
    connections: { take: async () => client, assertKept() {} },
    announce() {},
  };
  const commits = { withinMs: 1_000, noteUnanswered() {} };
  const run = (work: (tx: Tx) => Promise<unknown>) =>
    inTransaction(deps as never, work, committedWith(commits as never));
  return { run, sent, texts: () => sent.map(({ text }) => text) };
}

const turns = () => new Promise((resolve) => setImmediate(resolve));
const LOCK = 'SELECT address FROM accounts WHERE address = $1 FOR NO KEY UPDATE';
const READ = 'SELECT held FROM accounts';
const WRITE = 'UPDATE accounts SET held = 1';

test('locks and reads go out with BEGIN; what changes rows waits for its reply, and all behind it', async () => {
  const { run, sent, texts } = scripted();
  const done = run(({ query }) => Promise.all([query(LOCK), query(READ), query(WRITE), query(READ)]));
  await turns();
  assert.deepEqual(texts(), ['BEGIN', LOCK, READ]);
  sent[0]!.answer();
  await turns();
  assert.deepEqual(texts(), ['BEGIN', LOCK, READ, WRITE, READ]);
  for (const one of sent) one.answer();
  await turns();
  sent.at(-1)!.answer();
  await done;
  assert.equal(texts().at(-1), 'COMMIT');
});

test('if BEGIN fails, nothing that changes rows is ever sent', async () => {
  for (const text of [
    WRITE,
    'INSERT INTO t SELECT 1',
    'WITH a AS (DELETE FROM t) SELECT 1',
    'CREATE TABLE t AS SELECT 1',
    'CALL p()',
  ]) {
    const { run, sent, texts } = scripted();
    const done = run(({ query }) => Promise.all([query(READ), query(text)]));
    await turns();
    sent[0]!.refuse(new Error('canceled'));
    sent[1]!.answer();
    await turns();
    assert.deepEqual(texts(), ['BEGIN', READ, 'ROLLBACK']);
    sent[2]!.answer();
    await assert.rejects(done, /canceled/);
    assert.equal(sent.length, 3);
  }
});

test('work that has ended before the reply to BEGIN sends nothing more', async () => {
  const { run, sent, texts } = scripted();
  const done = run(({ query }) => Promise.all([query(WRITE), Promise.reject(new Error('refused'))]));
  await turns();
  assert.deepEqual(texts(), ['BEGIN', 'ROLLBACK']);
  for (const one of sent) one.answer();
  await assert.rejects(done, /refused/);
  await turns();
  assert.equal(sent.length, 2);
});

test('work that only reads is not done before BEGIN has succeeded', async () => {
  const { run, sent } = scripted();
  const done = run(({ query }) => query(READ));
  await turns();
  sent[1]!.answer();
  await turns();
  assert.equal(sent.length, 2);
  sent[0]!.refuse(new Error('canceled'));
  await turns();
  sent[2]!.answer();
  await assert.rejects(done, /canceled/);
});
