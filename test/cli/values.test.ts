import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import type { Argument, Option } from 'commander';
import { emulator } from '../../local/emulator/wing.ts';
import type { CliCommand } from '../../src/cli/command.ts';
import { runCli } from '../../src/cli/run.ts';
import { houseOf } from '../../src/service/house.ts';
import { WINGS } from '../../src/wings.ts';
import { commandsOf } from '../kit/service/commands.ts';
import { runCommand } from '../kit/service/run-command.ts';
import { sharedService } from '../kit/service/shared-service.ts';

/** What takes any text, or is checked against what the service knows: see the second test. */
const FREE = new Set([
  ...['--name <name>', '--reason <text>', '--key <key>', '--batch <name>', '--seed <text>', '<text>', '<command...>'],
  ...['--file <file>', '--to <file>', '--head <file>', '--result <file>', '--picture <file>', '--folder <path>'],
  '--tablespace <name>',
  ...['--redirect-uri <uri>', '--frame-ancestor <origin>', '--result-origin <origin>', '--top-up-url <url>', '<url>'],
  ...['--forward <address>', '--allow-host <host>', '--text <words>'],
  // What a caller has sent, which may be anything.
  'ids hash <id>',
  // Users of the shell have any name, and entries of the log are about more than ids.
  ...['--who <id>', '--subject <id>'],
]);

/** Good values, for what a command needs besides. */
const GOOD: Readonly<Record<string, string>> = {
  app: '7Qm2xVb9KcRt4LpWz8Yd',
  user: 'b7Kq2LxT9mVwR4sN8cYzE1hJ5uPa',
  recipient: 'b7Kq2LxT9mVwR4sN8cYzE1hJ5uPa',
  quarters: '5',
  'e-mail': 'ada@example.com',
  id: '019a3f4e-7c1b-7d52-9f0e-3b6a1c2d4e5f',
  endpoint: '019a3f4e-7c1b-7d52-9f0e-3b6a1c2d4e5f',
  event: '019a3f4e-7c1b-7d52-9f0e-3b6a1c2d4e5f',
  key: '3f9ac41be07d5528',
  address: '0x52908400098527886E0F7030069857D2E4169EE7',
  account: '0x52908400098527886E0F7030069857D2E4169EE7',
  block: '7',
  entry: '7',
  type: 'request.completed',
  month: '2026-10',
  'time or number': '2026-10-01',
};

/** No value of any kind: neither an id nor a number, a time, a word of a list or an address. */
const MALFORMED = 'no §good';

type Value = { readonly flags: string; readonly declared: Argument | Option; args(value: string): string[] };

/** Each argument, and each option with a value. */
function valuesOf(name: string, command: CliCommand): Value[] {
  const path = name.split(' ');
  const given = command.registeredArguments.map((argument) => GOOD[argument.name()] ?? 'x');
  const required = command.options.filter(({ mandatory }) => mandatory);
  const needed = (but?: Option) =>
    required
      .filter((option) => option !== but)
      .flatMap(({ long, flags }) => [long!, GOOD[/<(.*)>/.exec(flags)![1]!] ?? 'x']);
  return [
    ...command.registeredArguments.map((declared, i) => ({
      flags: `<${declared.name()}${declared.variadic ? '...' : ''}>`,
      declared,
      args: (value: string) => [...path, ...given.with(i, value), ...needed()],
    })),
    ...command.options
      .filter(({ required, optional }) => required || optional)
      .map((declared) => ({
        flags: declared.flags,
        declared,
        args: (value: string) => [...path, ...given, declared.long!, value, ...needed(declared)],
      })),
  ];
}

/** The examples in a message: what follows `such as` and `or`. */
const examplesIn = (message: string) =>
  [...message.matchAll(/\bsuch as (\S+?)[.,)]?(?=\s|$)/g)].map(([, good]) => good!);

async function run(args: readonly string[]) {
  const [out, err] = [new PassThrough(), new PassThrough()];
  const connect = () => assert.fail('nothing is looked up');
  const nothing = { start: async () => {}, migrate: async () => ({ applied: [] }) };
  const code = await runCli({ house: () => houseOf([...WINGS, emulator]), ...nothing, connect, out, err }, args);
  out.end();
  err.end();
  return { code, out: await text(out), err: await text(err) };
}

test('each argument of each command that can be malformed says what a good one looks like', async (t) => {
  const values = [...(await commandsOf(houseOf([...WINGS, emulator])))].flatMap(([name, command]) =>
    valuesOf(name, command).map((value) => ({ ...value, name })),
  );
  const declared = new Set(values.flatMap(({ name, flags }) => [flags, `${name} ${flags}`]));
  assert.deepEqual(
    [...FREE].filter((flags) => !declared.has(flags)),
    [],
    'no command has these any more',
  );
  for (const { name, flags, declared, args } of values) {
    if (FREE.has(flags) || FREE.has(`${name} ${flags}`)) continue;
    await t.test(`${name} ${flags}`, async () => {
      assert.ok(declared.parseArg, 'give it a parser of src/cli/values.ts, or add it to FREE');
      const { code, out, err } = await run(args(MALFORMED));
      assert.deepEqual([code, out], [2, ''], err);
      assert.match(
        err,
        /is invalid\b[\s\S]*\b(such as|Use one of|Use recipient=|Allowed choices are|Name a day|Use the)\b/,
      );
      const [, message = ''] = /is invalid[^.]*\. (.*)/.exec(err) ?? [];
      for (const good of examplesIn(message)) declared.parseArg(good, undefined as never);
    });
  }
});

test('what only the service can check is refused with what a good one is, too', async (t) => {
  const s = await sharedService(t);
  const app = await s.createApp();
  const cases: [args: string[], says: RegExp][] = [
    [['apps', 'update', app.id, '--redirect-uri', MALFORMED], /The redirect address \(no\. 1\) .*such as https:/],
    [['apps', 'update', app.id, '--frame-ancestor', MALFORMED], /The frame ancestor \(no\. 1\) .*such as https:/],
    [['apps', 'update', app.id, '--result-origin', MALFORMED], /The result origin \(no\. 1\) .*such as https:/],
    [['apps', 'update', app.id, '--top-up-url', MALFORMED], /The top-up address .*such as https:/],
    [['apps', 'update', app.id, '--name', ''], /The name must/],
    [['webhooks', 'add', app.id, MALFORMED], /The URL must .*such as https:/],
    [['listen', '--app', app.id, '--forward', MALFORMED], /takes an http.*, such as localhost:3000\/hook/],
    [['rewards', 'grant', GOOD.user!, '5', '--key', ''], /The key must have 1 to 255 characters/],
  ];
  for (const [args, says] of cases) {
    const { code, out, err } = await runCommand(s.service, ...args);
    assert.match(err, says, args.join(' '));
    assert.deepEqual([code > 0, out], [true, '']);
  }
});

test('an id of the right form that nobody has is not found, which is another end', async (t) => {
  const { service } = await sharedService(t);
  for (const args of [
    ['apps', 'show', GOOD.app!],
    ['users', 'show', GOOD.user!],
    ['issue', GOOD.user!, '5'],
    ['rewards', 'list', GOOD.address!],
    ['transfers', 'show', GOOD.id!],
    ['transfers', 'cancel', GOOD.id!],
    ['reports', 'resolve', GOOD.id!],
    ['actions', 'show', GOOD.id!],
    ['webhooks', 'list', GOOD.app!],
    ['log', 'show', '999999'],
    ['liabilities', 'show', '999999'],
  ]) {
    const { code, out } = await runCommand(service, ...args);
    assert.deepEqual([code, out], [3, ''], args.join(' '));
  }
});
