import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { Problem } from '../../src/base/problems.ts';
import type { CliContext } from '../../src/cli/command.ts';
import { runCli } from '../../src/cli/run.ts';
import { SettingsError } from '../../src/config/settings-error.ts';
import { CommitUnknown } from '../../src/db/database.ts';
import { HOUSE } from '../kit/service/house.ts';

/** Runs one command line. `connect` fails unless given, which shows that wrong usage opens no connection. */
async function run(args: string[], parts: Partial<CliContext> = {}) {
  const out = new PassThrough();
  const err = new PassThrough();
  let opened = 0;
  const code = await runCli(
    {
      house: () => HOUSE,
      start: async () => {},
      migrate: async () => ({ applied: [] }),
      async connect() {
        opened++;
        throw new Error('no service here');
      },
      ...parts,
      out,
      err,
    },
    args,
  );
  out.end();
  err.end();
  return { code, out: await text(out), err: await text(err), opened };
}

const SOMEBODY = 'b7Kq2LxT9mVwR4sN8cYzE1hJ5uPa';

describe('help', () => {
  const commands = [
    ['start'],
    ['migrate'],
    ['apps', 'create'],
    ['apps', 'list'],
    ['apps', 'show'],
    ['apps', 'update'],
    ['apps', 'keys', 'issue'],
    ['apps', 'keys', 'revoke'],
    ['apps', 'keys', 'list'],
    ['apps', 'auto-approval', 'enable'],
    ['apps', 'auto-approval', 'disable'],
    ['issue'],
    ['rewards', 'grant'],
    ['rewards', 'list'],
    ['transfers', 'show'],
    ['listen'],
    ['trigger'],
    ['audit'],
  ];
  for (const command of commands) {
    it(`the help of ${command.join(' ')} has an example and opens no connection`, async () => {
      const { code, out, err, opened } = await run([...command, '--help']);
      assert.deepEqual({ code, err, opened }, { code: 0, err: '', opened: 0 });
      assert.match(out, new RegExp(`Usage: quarters ${command.join(' ')}`));
      assert.match(out, new RegExp(`\\$ npx quarters ${command.join(' ')}`));
    });
  }

  it('the help of the program names every command', async () => {
    const { code, out } = await run(['--help']);
    assert.equal(code, 0);
    for (const name of ['start', 'migrate', 'apps', 'issue', 'rewards', 'transfers', 'listen', 'trigger', 'audit'])
      assert.match(out, new RegExp(`^  ${name}\\b`, 'm'));
  });
});

describe('wrong usage exits with 2, explains why on stderr and opens no connection', () => {
  const cases: [args: string[], because: RegExp][] = [
    [[], /Usage: quarters/],
    [['isue'], /unknown command 'isue'[\s\S]*Did you mean issue/],
    [['apps'], /Usage: quarters apps/],
    [['apps', 'create'], /required option '--name <name>'/],
    [['apps', 'show'], /missing required argument 'app'/],
    [['apps', 'keys', 'issue', 'x', '--kind', 'master'], /Allowed choices are server, client/],
    [
      ['apps', 'keys', 'issue', 'x', '--scope', 'all'],
      /one of guests, guest-tokens, pay, create-requests, approve-requests/,
    ],
    [['apps', 'keys', 'issue', 'x', '--pay-per-day', '0'], /whole number from 1/],
    [['apps', 'keys', 'revoke', 'x'.repeat(20), 'qk_secret'], /never the key itself/],
    [['apps', 'auto-approval', 'enable'], /missing required argument 'app'/],
    [['apps', 'list', '--jsno'], /unknown option '--jsno'/],
    [['apps', 'list', 'extra'], /too many arguments/],
    [['issue'], /missing required argument 'recipient'/],
    [['rewards'], /Usage: quarters rewards/],
    [['rewards', 'grant', SOMEBODY], /missing required argument 'quarters'/],
    [['rewards', 'grant', SOMEBODY, '1.5'], /whole number from 1 to 9007199254740991, digits only/],
    [['rewards', 'list'], /missing required argument 'user'/],
    [['issue', SOMEBODY], /missing required argument 'quarters'/],
    [['transfers', 'show', '7'], /Use an id such as 019a3f4e-.*, or a transaction hash/],
    [['transfers', 'show', '0x12'], /64 hexadecimal digits/],
    ...[
      '1,000',
      '1.5',
      '1.0',
      '-1',
      '0',
      '007',
      '1e3',
      '0x10',
      '',
      ' 5',
      'ten',
      '9007199254740992',
      '1'.repeat(400),
    ].map((amount): [string[], RegExp] => [
      ['issue', SOMEBODY, amount],
      /whole number from 1 to 9007199254740991, digits only/,
    ]),
  ];
  for (const [args, because] of cases) {
    it(JSON.stringify(args).slice(0, 60), async () => {
      const { code, out, err, opened } = await run(args);
      assert.match(err, because);
      assert.deepEqual({ code, out, opened }, { code: 2, out: '', opened: 0 });
    });
  }
});

describe('a command that fails exits with 1 and prints one sentence on stderr', () => {
  const failing = (error: unknown) => run(['apps', 'list'], { connect: () => Promise.reject(error) });
  const cases: [name: string, error: unknown, sentence: string][] = [
    ['a problem', new Problem('insufficient-quarters', 'It holds 1.'), 'It holds 1.\n'],
    [
      'a lost reply to COMMIT',
      new CommitUnknown(new Error('Connection terminated unexpectedly')),
      'We could not confirm whether this was done: the connection to the database was lost. ' +
        'Check before you run it again.\n',
    ],
    [
      'a fault of the input',
      new Problem('invalid-input', '', [{ pointer: '/redirectUris/1', detail: 'must use https' }]),
      'The redirect address (no. 2) must use https.\n',
    ],
    ['wrong settings', new SettingsError(['PORT must be 1', 'HOST must be 2']), 'PORT must be 1.\nHOST must be 2.\n'],
    ['an error with a full stop, which is our own', new Error('Port 1 is in use.'), 'Port 1 is in use.\n'],
    [
      'any other error',
      new TypeError('x is not a function\n    of anything'),
      'x is not a function. Set LOG_LEVEL=debug to see the stack trace.\n',
    ],
    [
      'an error without a message',
      Object.assign(new Error(''), { code: 'ECONNREFUSED' }),
      'ECONNREFUSED. Set LOG_LEVEL=debug to see the stack trace.\n',
    ],
  ];
  for (const [name, error, sentence] of cases) {
    it(name, async () => {
      const { code, out, err } = await failing(error);
      assert.deepEqual({ code, out, err }, { code: 1, out: '', err: sentence });
    });
  }
});

describe('commands that need no service', () => {
  it('start runs the service without a connection', async () => {
    let started = 0;
    const { code } = await run(['start'], { start: async () => void started++ });
    assert.deepEqual({ code, started }, { code: 0, started: 1 });
  });

  it('migrate names the migrations it applied', async () => {
    const migrate = async () => ({ applied: ['0001_foundations', '0002_more'] });
    assert.equal((await run(['migrate'], { migrate })).out, 'applied 0001_foundations\napplied 0002_more\n');
    assert.equal((await run(['migrate'])).out, 'The schema is up to date.\n');
    assert.deepEqual(JSON.parse((await run(['migrate', '--json'], { migrate })).out), {
      applied: ['0001_foundations', '0002_more'],
    });
  });
});

describe('the output', () => {
  it('a reader that closes the output early causes no error', async () => {
    const out = new PassThrough();
    const err = new PassThrough();
    const context = {
      house: () => HOUSE,
      start: async () => {},
      migrate: async () => ({ applied: [] }),
      connect: () => assert.fail(),
      out,
      err,
    };
    assert.equal(await runCli(context, ['migrate']), 0);
    assert.doesNotThrow(() => out.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })));
    assert.throws(() => out.emit('error', new Error('The disk is full.')), /disk is full/);
  });
});

describe('the connection', () => {
  it('the connection is closed after a failure', async () => {
    let closed = 0;
    const service = { db: { query: () => Promise.reject(new Error('The table is gone.')) } };
    const connect = async () => ({ service: service as never, close: async () => void closed++ });
    const { code, err } = await run(['apps', 'list'], { connect });
    assert.deepEqual({ code, err, closed }, { code: 1, err: 'The table is gone.\n', closed: 1 });
  });
});

describe('a program', () => {
  const failing = async (error: unknown) => {
    const { code, out, err } = await run(['apps', 'list', '--json'], { connect: () => Promise.reject(error) });
    return { code, out, error: JSON.parse(err).error };
  };

  it('reads an error from one line of JSON on stderr', async () => {
    assert.deepEqual(await failing(new Problem('not-found', 'There is no app "x".')), {
      code: 3,
      out: '',
      error: { reason: 'notFound', exitCode: 3, code: 'not-found', detail: 'There is no app "x".' },
    });
    const { code, out, err } = await run(['apps', 'list', '--json', '--jsno']);
    assert.deepEqual({ code, out }, { code: 2, out: '' });
    assert.match(JSON.parse(err).error.detail, /unknown option '--jsno'/);
  });

  it('learns from the exit code whether trying again is safe', async () => {
    const codes: [unknown, number][] = [
      [new Problem('overloaded', 'Later.'), 5],
      [new Problem('database-unavailable', 'Later.'), 5],
      [new Problem('insufficient-quarters', 'Too few.'), 1],
      [new CommitUnknown(new Error('gone')), 1],
    ];
    for (const [error, code] of codes) assert.equal((await failing(error)).code, code);
  });
});
