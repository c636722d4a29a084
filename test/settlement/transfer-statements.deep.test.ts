import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { namesIn, tablesOf } from '../../scripts/table-owners.ts';
import { statementName, TRANSFER_STATEMENTS } from '../../scripts/transfer-statements.ts';
import { call } from '../api/call.ts';
import { type Issued, watchIssued } from '../support/issued-statements.ts';
import { startTestService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { addHook, PRIVATE_TARGETS } from '../webhooks/webhooks.ts';

const ROUNDS = 6;
const TABLES = new Set(tablesOf(readFileSync(join(import.meta.dirname, '../../migrations/schema.sql'), 'utf8')));
const CONTROL = /^(BEGIN|COMMIT|ROLLBACK|SET|NOTIFY|LISTEN)\b/;
const WRITES = /\bINSERT INTO\b|\bDELETE FROM\b|(?<!\b(?:FOR|KEY|DO) )\bUPDATE\b/;
const LOCKS = /\bFOR (?:NO KEY )?(?:UPDATE|SHARE)\b|advisory/;

function nameOf({ by, text }: Issued): string {
  const tables = [...new Set(namesIn(text))].filter((name) => TABLES.has(name));
  return statementName({ by, does: WRITES.test(text) ? 'writes' : LOCKS.test(text) ? 'locks' : 'reads', tables });
}

test('the list of statements that a transfer sends is complete, and lists no other', async (t) => {
  const s = await startTestService(t, { env: PRIVATE_TARGETS });
  const app = await s.createApp();
  const guest = await s.createGuest(app);
  await s.issue(app.id, ROUNDS);
  const receiver = await startReceiver(t);
  await addHook(s, app.id, receiver.url);

  let round = new Set<string>();
  watchIssued(t, (issued) => {
    if (!CONTROL.test(issued.text)) round.add(nameOf(issued));
  });
  const rounds: ReadonlySet<string>[] = [];
  const pay = async () => {
    const { statusCode, body } = await call(s.app, `POST /v1/accounts/${app.address}/transfer`, {
      token: app.serverKey,
      body: { amount: 1, user: guest.userId },
      headers: { 'idempotency-key': `round ${rounds.length}` },
    });
    assert.equal(statusCode, 200, JSON.stringify(body));
  };
  const listed = new Set(TRANSFER_STATEMENTS.flatMap(({ statements }) => statements.map(statementName)));
  const unseen = () => [...listed].filter((name) => !rounds.some((names) => names.has(name)) && !round.has(name));
  while (rounds.length < ROUNDS) {
    await pay();
    await s.settled();
    await until('the webhook arrives', () => receiver.received.length > rounds.length);
    rounds.push(round);
    round = new Set();
  }
  // Some are sent once in a second or two.
  await until('every listed statement has been sent', () => unseen().length === 0, unseen);

  const everyTime = [...rounds[0]!].filter((name) => rounds.every((names) => names.has(name)));
  assert.deepEqual(
    everyTime.filter((name) => !listed.has(name)),
    [],
    'list them in scripts/transfer-statements.ts, with what they would be on distributed accounts',
  );
});
