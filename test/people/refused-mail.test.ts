import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { checkMails } from '../../src/diagnostics/health/delivery-checks.ts';
import { createGame, guestPath } from '../kit/service/conversion.ts';
import { createDeveloper, registerApp } from '../kit/service/developer.ts';
import { hiddenField, sendForm } from '../kit/service/forms.ts';
import { startMailServer } from '../kit/service/mail-server.ts';
import { createPerson } from '../kit/service/people.ts';
import { startTestService } from '../kit/service/service.ts';
import { send as sendAs } from '../kit/service/visits.ts';
import { until } from '../kit/unit/until.ts';

const TOLD = /We couldn’t deliver (our (last )?e-mail to|the e-mail\.)/g;

test('who waits for a code reads that its mail was refused, but never where it could tell who has an account', async (t) => {
  const smtp = await startMailServer(t);
  const env = { SMTP_URL: smtp.url, MAIL_HELO: 'pod.quarters.example' };
  const service = await startTestService(t, { env });
  const { db } = service.service;
  const handedOver = () => until('no mail waits', async () => (await db.query('SELECT FROM mails')).length === 0);
  const newEmail = () => `new.${randomUUID()}@mail.example`;
  /** The form is sent, and its mail refused. Returns the page that waits for the code. */
  const refused = async (path: string, fields: Record<string, string>, at: 'recipient' | 'content' = 'recipient') => {
    smtp.refuse({ code: 553, times: 1, says: '5.7.1 not your sender', at });
    const { statusCode, body } = await sendForm(service, path, fields);
    assert.equal(statusCode, 200);
    await handedOver();
    return body;
  };
  const told = async (path: string, fields: Record<string, string>) =>
    ((await sendForm(service, path, fields)).body.match(TOLD) ?? []).length;
  /** Health of mails. The metric is left out of an answer that took too long. */
  const health = async (count: number) => {
    await until(`the metric shows ${count}`, async () =>
      (await service.app.inject({ url: '/metrics' })).body.includes(`\nquarters_mails_refused ${count}\n`),
    );
    return checkMails(service.service);
  };

  await t.test('at sign-up, with a code typed and with a new one asked for, until one goes out', async () => {
    for (const at of ['recipient', 'content'] as const) {
      const email = newEmail();
      const flow = hiddenField(await refused('/sign-up', { email }, at), 'flow');
      assert.equal(await told('/sign-up/code', { flow, code: '000000' }), 1);
      const again = await sendForm(service, '/sign-up', { email, flow });
      assert.equal((again.body.match(TOLD) ?? []).length, 1);
      await handedOver();
      assert.equal(await told('/sign-up/code', { flow: hiddenField(again.body, 'flow'), code: '000000' }), 0);
    }
    assert.equal(smtp.helo, 'pod.quarters.example');
  });

  await t.test('on the page where a guest becomes a full user', async () => {
    const game = await createGame(service);
    const guest = await service.createGuest(game);
    const page = await service.app.inject({ url: guestPath(game, guest) });
    const email = newEmail();
    const begun = hiddenField(page.body, 'flow');
    const flow = hiddenField(await refused('/guest/email', { flow: begun, email }), 'flow');
    assert.equal(await told('/guest/code', { flow, code: '000000' }), 1);
    assert.equal(await told('/guest/email', { flow: begun, email, sent: flow }), 1);
    await handedOver();
  });

  await t.test('at a change of address, for each of the two; a refused text tells nothing of the new one', async () => {
    const ada = await createPerson(service);
    for (const [times, at, wanted] of [
      [2, 'recipient', 2],
      [2, 'content', 1],
    ] as const) {
      smtp.refuse({ code: 550, times, at });
      const codes = await sendAs(service, ada, '/account/email', { email: newEmail() });
      await handedOver();
      const change = hiddenField(codes.body, 'change');
      const typed = await sendAs(service, ada, '/account/email/confirm', { change, old_code: '', new_code: '' });
      assert.equal((typed.body.match(TOLD) ?? []).length, wanted, at);
    }
  });

  await t.test('beside an invitation to a team, until it is sent again', async () => {
    const owner = await createDeveloper(service);
    const team = `/developer/apps/${(await registerApp(owner)).id}/team`;
    const toldAfter = async () => {
      await owner.post(`${team}/invite`, { email: `a.friend@${owner.email.split('@')[1]}`, role: 'viewer' });
      await handedOver();
      return ((await owner.get(team)).body.match(TOLD) ?? []).length;
    };
    smtp.refuse({ code: 550, times: 1, at: 'recipient' });
    assert.equal(await toldAfter(), 1);
    assert.equal(await toldAfter(), 0);
  });

  await t.test('never where a new password is asked for', async () => {
    const { email } = await createPerson(service);
    for (const to of [email, newEmail()]) {
      const flow = hiddenField(await refused('/forgot', { email: to }), 'flow');
      assert.equal(await told('/forgot/code', { flow, code: '000000' }), 0);
      assert.equal(await told('/forgot', { email: to, flow }), 0);
      await handedOver();
    }
  });

  await t.test('Health and the metrics show refused mails until one is accepted', async () => {
    assert.equal((await health(0)).state, 'good');
    await refused('/sign-up', { email: newEmail() });
    await refused('/sign-up', { email: newEmail() });
    const { state, says } = await health(2);
    assert.equal(state, 'bad');
    assert.equal(says, 'The mail server has refused the last 2 mails for good: 553 5.7.1 not your sender');
    smtp.refuse({ code: 550, times: 1, says: '5.1.1 user unknown' });
    await sendForm(service, '/sign-up', { email: newEmail() });
    await handedOver();
    assert.equal((await health(3)).state, 'warning', 'one address is wrong');
    await sendForm(service, '/sign-up', { email: newEmail() });
    await handedOver();
    assert.equal((await health(0)).state, 'good');
  });
});
