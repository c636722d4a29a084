import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { localMasterKey } from '../../src/custody/master-key.ts';
import { openVault } from '../../src/custody/vault.ts';
import { openDatabase } from '../../src/db/database.ts';
import type { MailContent } from '../../src/features/mails/mail-layout.ts';
import { type Mail, queueMail, sendMails } from '../../src/features/mails/mails.ts';
import { insertMail, type Mailer, smtpMailer } from '../../src/mail/mail.ts';
import { readRefusedMails } from '../../src/mail/refusals.ts';
import type { LogEntry } from '../../src/service/service.ts';
import { languagesWith } from '../../src/words/languages.ts';
import { createDatabase } from '../kit/service/database.ts';
import { type MailServer, type ReceivedMail, startMailServer } from '../kit/service/mail-server.ts';
import { mailsTo } from '../kit/service/mailbox.ts';
import { startTestService } from '../kit/service/service.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { until } from '../kit/unit/until.ts';
import { changeMails } from '../rows/passing.ts';
import { ago } from '../rows/times.ts';

const CONTENT: MailContent = { subject: 'Your code', parts: ['It is 123456.'] };
const MAIL: Mail = { to: 'ada@mail.example', write: () => CONTENT };
/** The same mail as an older version queued it. */
const TEXT_ONLY = { to: MAIL.to, subject: CONTENT.subject, text: 'It is 123456.\n' };
const BRAND = { brandName: 'Acme Coins', brandAccent: '#f5b301' };

type Line = { readonly entry: LogEntry; readonly message: string };

/** Where mails wait, and what is logged about them; nothing sends them by itself. */
async function startQueue(t: TestContext) {
  const db = openDatabase(await createDatabase(t));
  atEnd(t, () => db.close());
  const vault = await openVault(db, localMasterKey(randomBytes(32)));
  const lines: Line[] = [];
  const note = (entry: LogEntry, message: string) => void lines.push({ entry, message });
  const service = {
    db,
    vault,
    settings: BRAND,
    languages: languagesWith('en'),
    development: false,
    log: { info: note, warn: note, error: note },
  };
  return {
    lines,
    queue: ({ to = MAIL.to, ...content }: Partial<MailContent & Pick<Mail, 'to'>> = {}) =>
      queueMail(service, db, { to, write: () => ({ ...CONTENT, ...content }) }),
    send: (mailer: Mailer) => sendMails(service, mailer),
    waiting: async () => (await db.query('SELECT FROM mails')).length,
    /** As if the pause before the next attempt were over. */
    nextAttempt: () => changeMails(db, {}, { nextAttemptAt: ago() }),
    db,
    service,
  };
}

const US = { from: 'Quarters <us@mail.example>', host: 'quarters.example', helo: undefined };
const mailerTo = ({ url }: Pick<MailServer, 'url'>) => smtpMailer({ ...US, url });

test('a queued mail is delivered to the mail server', async (t) => {
  const smtp = await startMailServer(t);
  const service = await startTestService(t, { env: { SMTP_URL: smtp.url, MAIL_FROM: 'Quarters <us@mail.example>' } });
  const { db } = service.service;
  await queueMail(service.service, db, MAIL);
  await until('it is forgotten', async () => (await db.query('SELECT FROM mails')).length === 0);
  const [{ from, to, raw }] = smtp.received as [ReceivedMail];
  assert.equal(from, 'us@mail.example');
  assert.deepEqual(to, ['ada@mail.example']);
  assert.match(raw, /^Subject: Your code\r$/m);
  assert.match(raw, /^From: Quarters <us@mail.example>\r$/m);
  assert.match(raw, /^Message-ID: <[0-9a-f-]{36}@localhost>\r$/m);
  assert.match(raw, /^Auto-Submitted: auto-generated\r$/m);
  assert.match(raw, /\r\n\r\nIt is 123456\./);
});

test('a mail says the same as text and as HTML, and a name in it cannot add markup', async (t) => {
  const smtp = await startMailServer(t);
  const { queue, send } = await startQueue(t);
  const name = '<img src="https://evil.example">';
  const link = 'https://quarters.example/account/apps?a=1&b=2';
  const parts = [`“${name}” & you`, { code: '123456' }, { lines: ['one', name] }, { link, label: 'See it' }];
  await queue({ subject: `123456 for ${name}`, heading: `A code for ${name}`, parts });
  await send(mailerTo(smtp));
  const { raw } = smtp.received[0]!;
  const boundary = /^Content-Type: multipart\/alternative;\s+boundary="([^"]+)"/m.exec(raw)?.[1];
  const [, plain = '', rich = '', ...others] = raw.split(`--${boundary}`);
  assert.equal(others.length, 1, 'two parts and the end');
  const text = decoded(plain, 'text/plain');
  const page = decoded(rich, 'text/html');
  assert.equal(text.trim(), `“${name}” & you\n\n    123456\n\n    one\n    ${name}\n\n    ${link}`);
  assert.doesNotMatch(page, /<(img|script|link)|url\(/, 'nothing is loaded');
  const shown = page
    .replace(/<style>[\s\S]*?<\/style>|<[^>]+>/g, '\n')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>');
  const seen = shown.replaceAll('&quot;', '"').replaceAll('&amp;', '&').split('\n');
  for (const line of [BRAND.brandName, ...text.split('\n').filter(Boolean)]) {
    assert.ok(
      seen.some((one) => one.trim() === line.trim()),
      `${line} in ${page}`,
    );
  }
  assert.ok(page.includes(`href="${link.replace('&', '&amp;')}"`));
  assert.ok(page.includes(BRAND.brandAccent));
});

/** The content of one part of a mail (RFC 2045). */
function decoded(part: string, type: string): string {
  const [head = '', ...body] = part.split('\r\n\r\n');
  assert.match(head, new RegExp(`Content-Type: ${type}; charset=utf-8`));
  const text = body.join('\r\n\r\n');
  if (/base64/.test(head)) return Buffer.from(text, 'base64').toString().replaceAll('\r\n', '\n');
  const bytes = /quoted-printable/.test(head)
    ? text
        .replace(/=\r\n/g, '')
        .replace(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : text;
  return Buffer.from(bytes, 'latin1').toString().replaceAll('\r\n', '\n');
}

test('a mail that an older version queued is still sent, as text', async (t) => {
  const smtp = await startMailServer(t);
  const { send, db, service } = await startQueue(t);
  const id = randomUUID();
  const sealed = service.vault.seal(Buffer.from(JSON.stringify(TEXT_ONLY)), `mail ${id}`);
  await db.transaction((tx) => insertMail(tx, { id, sealed }));
  await send(mailerTo(smtp));
  assert.match(smtp.received[0]?.raw ?? '', /\r\n\r\nIt is 123456\./);
  assert.doesNotMatch(smtp.received[0]?.raw ?? '', /multipart/);
});

test('a temporarily refused mail is retried with growing pauses until it is accepted', async (t) => {
  const smtp = await startMailServer(t);
  const { queue, send, waiting, nextAttempt, lines, db } = await startQueue(t);
  await queue();
  for (const times of [1, 2]) {
    smtp.refuse({ code: 451, times: 1 });
    await send(mailerTo(smtp));
    const [row] = await db.query<{ minutes: number; attempts: number }>(
      `SELECT attempts, round(extract(epoch FROM next_attempt_at - now()) / 60)::integer AS minutes FROM mails`,
    );
    assert.deepEqual(row, { attempts: times, minutes: times });
    await send(mailerTo(smtp));
    assert.equal(smtp.received.length, 0, 'not before its time');
    await nextAttempt();
  }
  await send(mailerTo(smtp));
  assert.equal(smtp.received.length, 1);
  assert.equal(await waiting(), 0);
  assert.deepEqual(
    lines.map(({ entry }) => entry.smtp),
    [451, 451],
  );
  assert.doesNotMatch(JSON.stringify(lines), /123456|ada@/);
});

test('a permanently refused mail is given up at once, and the log has the words of the server', async (t) => {
  const smtp = await startMailServer(t);
  const { queue, send, waiting, lines } = await startQueue(t);
  for (const at of ['recipient', 'content'] as const) {
    smtp.refuse({ code: 550, times: 1, says: '5.7.1 <ada@mail.example>: relaying denied', at });
    await queue();
    await send(mailerTo(smtp));
    assert.equal(await waiting(), 0);
    const { entry, message } = lines.pop()!;
    assert.match(message, /given up/);
    assert.equal(entry.reply, '550 5.7.1 <…>: relaying denied');
  }
  assert.equal(smtp.received.length, 0);
});

test('a server that refuses every mail for good, as with a wrong password, is tried again and its words are kept', async (t) => {
  const { queue, send, waiting, lines, db } = await startQueue(t);
  await queue();
  await send(async () => {
    throw Object.assign(new Error('Invalid login'), { code: 'EAUTH', responseCode: 535, response: '535 5.7.8 wrong' });
  });
  assert.equal(await waiting(), 1);
  assert.match(lines[0]?.message ?? '', /tried again/);
  assert.equal((await readRefusedMails(db))?.reply, '535 5.7.8 wrong');
});

test('a mail is delivered once a mail server that was down is back', async (t) => {
  const first = await startMailServer(t);
  await first.stop();
  const { queue, send, waiting, nextAttempt } = await startQueue(t);
  await queue();
  await send(mailerTo(first));
  assert.equal(await waiting(), 1);
  const second = await startMailServer(t);
  await nextAttempt();
  await send(mailerTo(second));
  assert.equal(second.received.length, 1);
});

test('a mail is given up after a day, and the log line does not contain its text', async (t) => {
  const smtp = await startMailServer(t);
  smtp.refuse({ code: 451, times: 1 });
  const { queue, send, waiting, lines, db } = await startQueue(t);
  await queue();
  await changeMails(db, {}, { createdAt: ago('25 hours') });
  await send(mailerTo(smtp));
  assert.equal(await waiting(), 0);
  assert.match(lines[0]?.message ?? '', /given up/);
  assert.doesNotMatch(JSON.stringify(lines), /123456|ada@/);
});

test('a mail queued in a failed transaction is never sent, and queued texts are encrypted', async (t) => {
  const { queue, waiting, db, service } = await startQueue(t);
  const failing = db.transaction(async (tx) => {
    await queueMail(service, tx, MAIL);
    throw new Error('rolled back');
  });
  await assert.rejects(failing, /rolled back/);
  assert.equal(await waiting(), 0);
  await queue();
  const [row] = await db.query<{ text: string }>(`SELECT encode(sealed, 'escape') AS text FROM mails`);
  assert.doesNotMatch(row?.text ?? '', /123456|ada/);
});

test('several processes at once send each mail once', async (t) => {
  const { queue, send, waiting } = await startQueue(t);
  const recipients = Array.from({ length: 60 }, (_, i) => `player-${i}@mail.example`);
  for (const to of recipients) await queue({ to });
  const sent: string[] = [];
  const drain = async () => {
    while (await send(async ({ to }) => void sent.push(to)));
  };
  await Promise.all([drain(), drain(), drain(), drain()]);
  // A process leaves the loop when others hold the last ones; those are sent by then.
  assert.deepEqual(sent.sort(), recipients.sort());
  assert.equal(await waiting(), 0);
});

test('outside text cannot add a mail header or a second recipient', async (t) => {
  const smtp = await startMailServer(t);
  const send = mailerTo(smtp);
  const id = randomUUID();
  const evil = '“Game”\r\nBcc: everybody@evil.example\r\n\r\nBuy this';
  await send({ id, ...TEXT_ONLY, subject: evil });
  await send({ id, ...TEXT_ONLY, text: 'From evil\r\n.\r\nMAIL FROM:<us@mail.example>\r\n' });
  for (const to of ['a@mail.example, b@evil.example', 'a@mail.example\r\nBcc: b@evil.example']) {
    await send({ id, ...TEXT_ONLY, to }).catch(() => {});
  }
  const [subject, text, ...others] = smtp.received;
  assert.deepEqual(subject?.to, ['ada@mail.example']);
  assert.doesNotMatch(subject?.raw ?? '', /^bcc:/im);
  assert.match(text?.raw ?? '', /^MAIL FROM:<us@mail.example>/m, 'a dot alone on a line ends nothing');
  for (const { to, raw } of others) {
    assert.equal(to.includes('b@evil.example'), false);
    assert.doesNotMatch(raw, /^bcc:/im);
  }
});

test('without a mail server, mails go to a private file and the log', async (t) => {
  const lines: Line[] = [];
  const info = (entry: LogEntry, message: string) => void lines.push({ entry, message });
  const service = await startTestService(t, { log: { info, warn() {}, error() {} } });
  await queueMail(service.service, service.service.db, {
    ...MAIL,
    write: () => ({ ...CONTENT, subject: 'Two\nlines' }),
  });
  await until('it is logged', () => lines.some(({ entry }) => entry.text === 'It is 123456.'));
  assert.deepEqual(await mailsTo(service, MAIL.to), [{ subject: 'Two lines', text: 'It is 123456.\n' }]);
  const folder = join(service.service.settings.dataDir, 'mail');
  const names = (await readdir(folder)).sort();
  for (const [i, ending] of ['html', 'txt'].entries()) {
    assert.match(
      names[i] ?? '',
      new RegExp(`^\\d{4}-\\d\\d-\\d\\dT\\d\\d-\\d\\d-\\d\\d\\.\\d{3}Z-[0-9a-f-]{36}\\.${ending}$`),
    );
    assert.equal((await stat(join(folder, names[i]!))).mode & 0o777, 0o600);
  }
  assert.match(await readFile(join(folder, names[0]!), 'utf8'), /It is 123456\./);
  assert.equal((await stat(folder)).mode & 0o777, 0o700);
});

test('mail is sent unencrypted only to a local server, unless the server address says otherwise', async (t) => {
  const server = await startMailServer(t);
  const send = (url: string) => mailerTo({ url })({ id: randomUUID(), ...TEXT_ONLY });
  // Reaches the same server, which has no STARTTLS, by an address that is not known to be this machine.
  const elsewhere = server.url.replace('127.0.0.1', '0.0.0.0');
  await assert.rejects(send(elsewhere), { code: 'ETLS' });
  await assert.rejects(send(`${server.url}?requireTLS=true`), { code: 'ETLS' });
  assert.equal(server.received.length, 0);
  await send(server.url);
  await send(`${elsewhere}?requireTLS=false`);
  assert.equal(server.received.length, 2);
});
