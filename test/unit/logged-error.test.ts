import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { CommitUnknown } from '../../src/db/failures.ts';
import { logOptions } from '../../src/logging.ts';

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
