import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { pino } from 'pino';
import { CommitUnknown } from '../../src/db/failures.ts';
import { logOptions } from '../../src/process/logging.ts';
import { forTerminal } from '../../src/process/terminal-log.ts';

/** The log line of an error. */
function lineOf(err: unknown): string {
  let written = '';
  pino(logOptions({ logLevel: 'info' }), { write: (line: string) => (written += line) }).error({ err }, 'x');
  return written;
}

const SECRET = 'ada@mail.example';

/** An error as the database driver throws it. */
const databaseError = (code: string, message: string) =>
  Object.assign(new Error(message), {
    code,
    severity: 'ERROR',
    table: 'users',
    detail: `Failing row contains (1, ${SECRET}).`,
    where: `unnamed portal parameter $1 = '${SECRET}'`,
  });

for (const [name, error] of [
  ['the row that did not fit', databaseError('23502', 'null value in column "kind" violates not-null constraint')],
  [
    'the value that could not be read',
    databaseError('22P02', `invalid input syntax for type uuid: "${SECRET}" and "x"`),
  ],
  ['the text that is not JSON', new SyntaxError(`Unexpected token 'a', "${SECRET}" is not valid JSON`)],
  ['the call that a library attaches to its error', Object.assign(new Error('refused'), { config: { auth: SECRET } })],
  ['the cause’s row', new CommitUnknown(databaseError('23502', 'null value'))],
  ['a thrown value that is not an error', SECRET],
] as const) {
  test(`a logged error does not quote ${name}`, () => assert.ok(!lineOf(error).includes(SECRET), lineOf(error)));
}

test('a logged error has its type, message and origin', () => {
  const { err } = JSON.parse(lineOf(new CommitUnknown(databaseError('23502', 'null value'))));
  assert.deepEqual([err.type, err.message], ['CommitUnknown', 'The reply to COMMIT was lost']);
  assert.match(err.stack, /logged-error\.test\.ts/);
  const { type, message, code, severity, table } = err.cause;
  assert.deepEqual([type, message, code, severity, table], ['Error', 'null value', '23502', 'ERROR', 'users']);
});

/** What a terminal shows of one entry, without its time. */
function shownOf(entry: object, message: string): string {
  const destination = new PassThrough({ encoding: 'utf8' });
  pino(logOptions({ logLevel: 'info' }), forTerminal({ destination, colorize: false })).warn(entry, message);
  return String(destination.read()).replace(/^\[[^\]]+\] /, '');
}

test('a terminal shows text and no JSON, with what an entry says as names and values', () => {
  const facts = { mail: 'a b', attempts: 2, worker: 3, gone: null, queue: { waiting: 1, oldest: ['x', 'y'] } };
  assert.equal(
    shownOf(facts, 'a mail waits'),
    'WARN: a mail waits  mail="a b" attempts=2 gone=null queue.waiting=1 queue.oldest.0=x queue.oldest.1=y\n',
  );
  assert.equal(shownOf({ security: 'sign-in', userId: 'u1' }, 'security event'), 'WARN: sign-in  userId=u1\n');
  assert.equal(
    shownOf({ method: 'GET', route: '/v1/me', status: 200, ms: 3, requestId: 'r1' }, 'request'),
    'WARN: GET /v1/me 200 (3 ms)  requestId=r1\n',
  );
  assert.equal(shownOf({ what: 'x\u001b[2J\u009b\u202e' }, 'a\nb'), 'WARN: a�b  what=x�[2J��\n');
});

test('a terminal shows where an error came from and what caused it', () => {
  const shown = shownOf({ err: new CommitUnknown(databaseError('23502', 'null value')) }, 'it failed').split('\n');
  assert.equal(shown[0], 'WARN: it failed');
  assert.equal(shown[1], '    CommitUnknown: The reply to COMMIT was lost');
  assert.match(shown[2]!, /^ {4}at .*logged-error\.test\.ts/);
  assert.ok(shown.includes('    Error: null value'));
  assert.equal(shown.at(-2), '    code=23502 severity=ERROR table=users');
});
