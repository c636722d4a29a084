import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { toChecksum } from '../../src/base/address.ts';
import { closeAccount } from '../../src/features/accounts/close-account.ts';
import { readProfile } from '../../src/features/accounts/profile.ts';
import { sendMails } from '../../src/features/mails/mails.ts';
import { stopByLink } from '../../src/features/withdrawals/addresses.ts';
import { KEPT_FORMER_EMAILS, keepFormerEmail } from '../../src/identity/former-emails.ts';
import { changeEmailOf, findUser } from '../../src/identity/users.ts';
import { listWithdrawalAddresses } from '../../src/identity/withdrawal-addresses.ts';
import { startMailServer } from '../kit/service/mail-server.ts';
import { createPerson } from '../kit/service/people.ts';
import { startTestService } from '../kit/service/service.ts';
import { visit } from '../kit/service/visits.ts';
import { newWithdrawer, outsideAddress } from '../kit/service/withdrawer.ts';
import { until } from '../kit/unit/until.ts';
import { ageFormerEmails, changeMails, forgetMails } from '../rows/passing.ts';
import { ago } from '../rows/times.ts';

const DAY_MS = 24 * 3_600_000;

test('the 24 hours of an address begin when the mails about it are delivered, or given up', async (t) => {
  const smtp = await startMailServer(t);
  const env = { WITHDRAWALS: 'on', SMTP_URL: smtp.url, MAIL_FROM: 'us@mail.example' };
  const s = await startTestService(t, { env });
  const { service } = s;
  const { db } = service;
  const newEmail = () => `${randomUUID()}@mail.example`;
  const add = async ({ add }: Pick<Awaited<ReturnType<typeof newWithdrawer>>, 'add'>) => {
    const address = outsideAddress();
    await add(toChecksum(address));
    return address;
  };
  const usableAt = async (userId: Parameters<typeof listWithdrawalAddresses>[1]) =>
    (await listWithdrawalAddresses(db, userId))[0]!.usableAt;
  const tried = (times: number) =>
    until('the mail was tried', async () => {
      const mails = await db.query<{ attempts: number }>('SELECT attempts FROM mails');
      return mails.length > 0 && mails.every(({ attempts }) => attempts >= times);
    });
  const again = () => changeMails(db, {}, { nextAttemptAt: ago() });

  await t.test('while the server takes no mail, the address waits, and the page says for what', async () => {
    const withdrawer = await newWithdrawer(s);
    smtp.refuse({ code: 451, times: 100 });
    await add(withdrawer);
    await tried(1);
    assert.equal(await usableAt(withdrawer.user.id), null);
    const { body } = await visit(s, withdrawer.person, '/account/withdraw');
    assert.match(body, /Ready 24 hours after our e-mail about it has been delivered/);
    smtp.refuse({ code: 0, times: 0 });
    const before = Date.now();
    await again();
    await until('the 24 hours have begun', async () => (await usableAt(withdrawer.user.id)) !== null);
    const waits = (await usableAt(withdrawer.user.id))!.getTime() - before;
    assert.ok(waits > DAY_MS - 60_000, `${waits} ms`);
    assert.equal((await listWithdrawalAddresses(db, withdrawer.user.id))[0]!.state, 'waiting');
  });

  await t.test('a mail that the server refuses for good is given up, and the 24 hours begin', async () => {
    const withdrawer = await newWithdrawer(s);
    smtp.refuse({ code: 550, times: 1 });
    await add(withdrawer);
    await until('the 24 hours have begun', async () => (await usableAt(withdrawer.user.id)) !== null);
  });

  await t.test('a process that died after it had handed the mail over is caught up with', async () => {
    const withdrawer = await newWithdrawer(s);
    smtp.refuse({ code: 451, times: 100 });
    await add(withdrawer);
    await tried(1);
    await forgetMails(db);
    await sendMails(service, async () => {});
    assert.notEqual(await usableAt(withdrawer.user.id), null);
    smtp.refuse({ code: 0, times: 0 });
  });

  await t.test('who had another e-mail address lately gets the mail there too, and it stops the address', async () => {
    const [first, second, third] = [newEmail(), newEmail(), newEmail()];
    const person = await createPerson(s, { email: first });
    for (const [from, to] of [
      [first, second],
      [second, third],
    ] as const) {
      await db.transaction(async (tx) => {
        await changeEmailOf(tx, person.userId, { from, to });
        await keepFormerEmail(tx, person.userId, from);
      });
    }
    await ageFormerEmails(db, second, '31 days');
    const withdrawer = await newWithdrawer(s, person);
    await add(withdrawer);
    await until('the 24 hours have begun', async () => (await usableAt(person.userId)) !== null);
    const told = smtp.received.filter(({ raw }) => /withdrawal address was added/.test(raw)).flatMap(({ to }) => to);
    assert.deepEqual(
      [first, second, third].map((address) => told.includes(address)),
      [true, false, true],
    );
    const { raw } = smtp.received.find(({ to }) => to.includes(first))!;
    const text = raw.replaceAll('=\r\n', '').replaceAll('=3D', '=');
    assert.ok(await stopByLink(service, /\?token=(\w+)/.exec(text)![1]!));
    assert.equal((await listWithdrawalAddresses(db, person.userId))[0]!.state, 'stopped');

    const user = (await findUser(db, person.userId))!;
    const known = await readProfile(service, user);
    assert.deepEqual(
      known.filter(({ what }) => what === 'former e-mail address').map(({ value }) => value),
      [first],
    );
    // The service may have done so by itself.
    await KEPT_FORMER_EMAILS.forget(db, 10);
    assert.deepEqual(await db.query('SELECT email FROM former_emails'), [{ email: first }]);
    assert.ok(await closeAccount(service, user, person.session));
    assert.deepEqual(await db.query('SELECT FROM former_emails'), [], 'nothing is left of a closed account');
  });
});
