import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import type { Command } from 'commander';
import { toChecksum } from '../../src/base/address.ts';
import { buildProgram } from '../../src/cli/run.ts';
import { HOUSE } from '../kit/service/house.ts';
import { createPerson } from '../kit/service/people.ts';
import { runCommand } from '../kit/service/run-command.ts';
import { sharedService } from '../kit/service/shared-service.ts';

/** Each command that takes an address, with what it says of one that is read. `ADDRESS` stands for it. */
const TAKES: Readonly<Record<string, { readonly args: readonly string[]; readonly read: RegExp }>> = {
  issue: { args: ['ADDRESS', '5', '--reason', 'prize', '--yes'], read: /Issued +5 quarters/ },
  'rewards grant': { args: ['ADDRESS', '5', '--reason', 'prize', '--yes'], read: /Granted +5 quarters/ },
  'rewards list': { args: ['ADDRESS'], read: /5/ },
  'users find': { args: ['ADDRESS'], read: /Ada/ },
  'users show': { args: ['ADDRESS'], read: /Ada/ },
  'users stop-address': {
    args: ['USER', 'ADDRESS', '--reason', 'theirs', '--yes'],
    read: /no such withdrawal address/,
  },
  'users join-account': { args: ['USER', 'ADDRESS', '--reason', 'same', '--yes'], read: /no account at this address/ },
  'users freeze': { args: ['ADDRESS', '--reason', 'a test', '--yes'], read: /frozen/i },
  'users unfreeze': { args: ['ADDRESS', '--reason', 'a test', '--yes'], read: /frozen|unfr/i },
  'liabilities prove': { args: ['ADDRESS'], read: /Nothing that can be proven/ },
};

const leaves = (command: Command, path: readonly string[] = []): [string, Command][] =>
  command.commands.length === 0
    ? [[path.join(' '), command]]
    : command.commands.flatMap((one) => leaves(one, [...path, one.name()]));

test('each command that takes an address takes it as wallets copy it', async (t) => {
  const s = await sharedService(t);
  const { chainId } = s.service.chain;
  const person = await createPerson(s, { displayName: 'Ada' });
  const written = toChecksum(person.address);
  const run = (path: string, address: string) => {
    const { args } = TAKES[path]!;
    const typed = args.map((one) => one.replace('ADDRESS', address).replace('USER', person.userId));
    return runCommand(s.service, ...path.split(' '), ...typed);
  };

  await t.test('the table has them all', async () => {
    const unused = async () => assert.fail('no command is run');
    const streams = { out: new PassThrough(), err: new PassThrough() };
    const context = { start: unused, migrate: unused, connect: unused, house: () => HOUSE, ...streams };
    const program = await buildProgram(context, () => {});
    const isTaken = ({ description }: { readonly description: string }) => /(?<!e-mail )\baddress\b/.test(description);
    const found = leaves(program).filter(
      ([path, { registeredArguments }]) => path === 'users find' || registeredArguments.some(isTaken),
    );
    // It takes what a caller has sent, letter by letter.
    const others = found.map(([path]) => path).filter((path) => path !== 'ids hash');
    assert.deepEqual(others.sort(), Object.keys(TAKES).sort());
  });

  for (const [path, { read }] of Object.entries(TAKES)) {
    await t.test(`quarters ${path}`, async () => {
      for (const form of [`ethereum:${written}@${chainId}`, `eip155:${chainId}:${written}`]) {
        const { out, err } = await run(path, form);
        assert.match(out + err, read, form);
      }
      for (const form of [`eth:${written}`, `ethereum:${written}@1`]) {
        const { code, out, err } = await run(path, form);
        assert.notEqual(code, 0, form);
        const says = `is an address on Ethereum (1), and quarters are on chain ${chainId}: if it is theirs there too, write ${written}`;
        assert.ok((out + err).includes(says), out + err);
      }
      const mistyped = written.replace(/[a-f]/, (digit) => digit.toUpperCase());
      const { code, err } = await run(path, mistyped);
      assert.notEqual(code, 0);
      assert.match(err, /checksum/);
    });
  }
});
