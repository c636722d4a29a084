import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAboutRecipient, refusalOf } from '../../src/mail/refusals.ts';

const TO = 'ada.lovelace@mail.example';
const answered = (response: string, code = 'EENVELOPE') =>
  refusalOf({ code, response, responseCode: Number(response.slice(0, 3)) }, TO);

test('the words of a server name neither the recipient nor any other address', () => {
  const replies: [string, string][] = [
    ['553 5.7.1 <us@a.example>: not owned by user me@a.example', '553 5.7.1 <…>: not owned by user …'],
    ['550 5.1.1 <Ada.Lovelace@MAIL.example>... User unknown', '550 5.1.1 <…>... User unknown'],
    [
      '550-5.1.1 no ADA.lovelace here\n550 see https://help.example',
      '550-5.1.1 no … here 550 see https://help.example',
    ],
    ['550 mail.example does not want it', '550 … does not want it'],
    ['504 5.5.2 <pod-1>: Helo command rejected', '504 5.5.2 <pod-1>: Helo command rejected'],
    ['554 no\u001b[31m \u202eway', '554 no\ufffd[31m \ufffdway'],
    [`554 ${'x'.repeat(400)}`, `554 ${'x'.repeat(296)}`],
  ];
  for (const [reply, said] of replies) assert.equal(answered(reply)?.reply, said);
});

test('only 5xx refuses for good, and of one mail only if it answers the envelope or the content', () => {
  assert.equal(answered('451 4.7.1 greylisted'), null);
  assert.equal(refusalOf({ code: 'ESOCKET' }, TO), null);
  const kinds = (code: string) => {
    const { isOfMail, isOfContent } = answered('550 no', code)!;
    return [isOfMail, isOfContent];
  };
  assert.deepEqual(kinds('EENVELOPE'), [true, false]);
  assert.deepEqual(kinds('EMESSAGE'), [true, true]);
  for (const code of ['EAUTH', 'EPROTOCOL', 'ECONNECTION']) assert.deepEqual(kinds(code), [false, false]);
});

test('a reply is about the recipient only if its code says so', () => {
  for (const reply of ['550 5.1.1 no', '550-5.1.10 no', '556 5.1.2 no', '552 5.2.2 full']) {
    assert.ok(isAboutRecipient(reply), reply);
  }
  for (const reply of ['550 no such user', '550 5.7.1 relay', '553 5.1.8 sender', '504 5.5.2 helo', '550 5.1.17 x']) {
    assert.ok(!isAboutRecipient(reply), reply);
  }
});
