import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPerson } from '../kit/service/people.ts';
import { runCommand } from '../kit/service/run-command.ts';
import { sharedService } from '../kit/service/shared-service.ts';

/** A user id that nobody has. */
const NOBODY = 'x'.repeat(28);

test('users from the command line', async (t) => {
  const s = await sharedService(t);
  const app = await s.createApp({ name: 'Zebra Crossing' });
  const person = await createPerson(s, { email: 'zoe@game.example' });
  await s.issue(person.userId, 60);
  const run = (...args: string[]) => runCommand(s.service, 'users', ...args);
  const find = async (text: string) => {
    const { code, out } = await run('find', text, '--json');
    return { code, ids: JSON.parse(out).found.map(({ id }: { id: string }) => id) };
  };

  await t.test('a player is found by e-mail address, id and account, an app by its name', async () => {
    for (const text of ['ZOE@game.example', person.userId, person.address]) {
      assert.deepEqual(await find(text), { code: 0, ids: [person.userId] }, text);
    }
    assert.deepEqual(await find('zebra cr'), { code: 0, ids: [app.id] });
    assert.deepEqual(await find('nobody@game.example'), { code: 3, ids: [] });
    assert.equal((await run('find', 'z')).code, 1);
  });

  await t.test('a player is shown with account and payments', async () => {
    const { out } = await run('show', person.userId);
    assert.match(out, /^E-mail +zoe@game\.example$/m);
    assert.match(out, /^Can spend +60 quarters$/m);
    assert.match(out, / Issued by the operator +completed +\+60 /);
    const { code, err } = await run('show', NOBODY);
    assert.deepEqual([code, err], [3, `There is no user "${NOBODY}".\n`]);
  });
});
