import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hiddenField } from '../kit/service/forms.ts';
import { startMailServer } from '../kit/service/mail-server.ts';
import { storePasskey } from '../kit/service/passkey.ts';
import { createPerson } from '../kit/service/people.ts';
import { startReceiver } from '../kit/service/receiver.ts';
import { skipWithout } from '../kit/unit/debian-packages.ts';
import { until } from '../kit/unit/until.ts';
import { ageLogHead, rewriteLog } from '../rows/operator-log.ts';
import { changeMails } from '../rows/passing.ts';
import { ago } from '../rows/times.ts';
import { openRunbook, WITHIN_MS } from './stage.ts';

const LOCKED_OUT_AFTER = 51;

test('the alerts about people, mails and webhooks fire, and are over when their paragraphs were followed', {
  skip: skipWithout('prometheus'),
  timeout: WITHIN_MS,
}, async (t) => {
  let mailServer = await startMailServer(t);
  const s = await openRunbook(t, { SMTP_URL: mailServer.url, AUDIT_EVERY_SECONDS: '0' });
  const service = await s.world.operator();
  const origin = () => s.service().origin;
  const sendForm = async (path: string, fields: Readonly<Record<string, string>>) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };
    const body = new URLSearchParams(fields).toString();
    const answer = await fetch(`${origin()}${path}`, { method: 'POST', headers, body, redirect: 'manual' });
    return { status: answer.status, text: await answer.text() };
  };

  await t.test('QuartersWebhooksFailing: the label says how, and deliveries are repeated', async () => {
    const receiver = await startReceiver(t);
    receiver.answer = (response) => response.writeHead(500).end();
    await s.quarters('webhooks', 'add', s.app.id, receiver.url);
    assert.equal(await s.pay(), 200);
    await s.fires('QuartersWebhooksFailing');
    receiver.answer = (response) => response.writeHead(204).end();
    await until('payments are announced again', async () => {
      await s.pay();
      return !(await s.active()).includes('QuartersWebhooksFailing');
    });
    await s.world.settled();
  });

  await t.test('QuartersMailsWait: the log says why, and mails go when the server is back', async () => {
    await mailServer.stop();
    await sendForm('/forgot', { email: 'ada@mail.example' });
    await s.fires('QuartersMailsWait');
    assert.match(s.service().output(), /"reason":"ESOCKET","msg":"a mail could not be sent/);
    mailServer = await startMailServer(t, Number(new URL(mailServer.url).port));
    // The next try is due in a minute or two.
    await changeMails(await s.db(), {}, { nextAttemptAt: ago() });
    await s.resolves('QuartersMailsWait');
  });

  await t.test('QuartersMailsRefused: the log and doctor say why, and the alert ends with the first mail', async () => {
    mailServer.refuse({ code: 504, times: 1_000, says: '5.5.2 <pod>: Helo command rejected' });
    for (const name of ['ada', 'bob', 'cy']) await sendForm('/forgot', { email: `${name}@mail.example` });
    await s.fires('QuartersMailsRefused');
    assert.match(s.service().output(), /"smtp":504,"reply":"504 5\.5\.2 <pod>: Helo command rejected"/);
    assert.match(await s.quarters('doctor'), /MAIL_HELO/);
    await s.restart({ MAIL_HELO: 'mail.quarters.example' });
    mailServer.refuse({ code: 0, times: 0 });
    await sendForm('/forgot', { email: 'dan@mail.example' });
    await s.resolves('QuartersMailsRefused');
    assert.equal(mailServer.helo, 'mail.quarters.example');
  });

  await t.test('QuartersLockouts: the log names the limit and the address', async () => {
    const { text } = await sendForm('/forgot', { email: 'ada@mail.example' });
    const flow = hiddenField(text, 'flow');
    for (let tries = 0; tries < LOCKED_OUT_AFTER; tries++) await sendForm('/forgot/code', { flow, code: '000000' });
    await s.fires('QuartersLockouts');
    assert.match(s.service().output(), /locked-out[^\n]*reset code|reset code[^\n]*locked-out/);
    await s.resolves('QuartersLockouts');
  });

  await t.test('QuartersOperatorsChanged: the operator who nobody knows is removed', async () => {
    const { userId, email } = await createPerson({ service });
    await storePasskey({ service } as Parameters<typeof storePasskey>[0], userId, 'Key');
    await s.quarters('operators', 'add', email, '--yes', '--reason', 'a try');
    await s.fires('QuartersOperatorsChanged');
    assert.match(await s.quarters('log', 'list'), new RegExp(`operator-added .*user ${userId}`));
    await s.quarters('operators', 'remove', email, '--yes', '--reason', 'nobody knows them');
    assert.doesNotMatch(await s.quarters('operators', 'list'), new RegExp(email));
    await s.resolves('QuartersOperatorsChanged');
  });

  await t.test('QuartersLogNotWhole: the verification names the first entry that was changed', async () => {
    const db = await s.db();
    await rewriteLog(db, 'change', 1);
    await ageLogHead(db);
    await s.restart();
    await s.fires('QuartersLogNotWhole');
    assert.match(await s.quarters('log', 'verify'), /The log is not whole\. Entry 1: /);
    await s.resolves('QuartersLogNotWhole');
  });

  await t.test('QuartersReportsWait: the report is read and resolved', async () => {
    const headers = { authorization: `Bearer ${s.guest.token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ tokens: 5, appId: s.app.id, description: 'A sword' });
    const { id } = (await (await fetch(`${origin()}/v1/requests`, { method: 'POST', headers, body })).json()) as {
      id: string;
    };
    const query = new URLSearchParams({ firebase_token: s.guest.pageToken });
    const page = await (await fetch(`${origin()}/requests/${id}?${query}`)).text();
    const form = {
      page_token: hiddenField(page, 'page_token'),
      step: 'send',
      reason: 'other',
      text: 'I bought nothing',
    };
    assert.equal((await sendForm(`/requests/${id}/report`, form)).status, 200);
    await s.fires('QuartersReportsWait');
    const [, report] = /"id": "([\da-f-]{36})"/.exec(await s.quarters('reports', 'list', '--json'))!;
    await s.quarters('reports', 'resolve', report!, '--yes', '--reason', 'explained');
    await s.resolves('QuartersReportsWait');
  });
});
