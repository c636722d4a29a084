import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sendForm } from '../kit/service/forms.ts';
import { startTestService } from '../kit/service/service.ts';
import { behindProxy, somewhere } from '../kit/service/with-password.ts';
import { changeAttempts, forgetAttempts } from '../rows/passing.ts';

test('a refusal after too many tries says how long to wait', async (t) => {
  const service = await startTestService(t, behindProxy);
  const { db } = service.service;
  const from = somewhere();
  const ask = async () => {
    const { statusCode, body } = await sendForm(service, '/forgot', { email: 'ada@mail.example' }, from);
    return statusCode === 200 ? 'sent' : /Please wait[^<.]*\./.exec(body)?.[0];
  };
  for (let i = 0; i < 5; i++) assert.equal(await ask(), 'sent');
  assert.equal(await ask(), 'Please wait 15 minutes and try again.');

  // As if an hour had passed, and they had gone on all day.
  await forgetAttempts(db, '1 hour');
  await changeAttempts(db, {}, { count: 8 });
  assert.equal(await ask(), 'Please wait a day and try again.');
});
