import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { queueMail } from '../../src/features/mails/mails.ts';
import { startJobs } from '../../src/jobs/jobs.ts';
import { smtpMailer } from '../../src/mail/mail.ts';
import { newProcess } from '../../src/membership/processes.ts';
import { startTestService } from '../kit/service/service.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { until } from '../kit/unit/until.ts';

const MAIL = { to: 'ada@mail.example', subject: 'Your code', text: 'It is 123456.\n' };

/** A mail server that takes its time for each answer, and never too much for one. */
async function startSlowServer(t: TestContext, pauseMs: number) {
  const connections = new Set<Socket>();
  const server = createServer((socket) => {
    connections.add(socket.on('error', () => {}).on('close', () => connections.delete(socket)));
    const answer = (line: string) => setTimeout(() => socket.writable && socket.write(`${line}\r\n`), pauseMs);
    answer('220 slow');
    socket.on('data', (data) => answer(String(data).startsWith('DATA') ? '354 go on' : '250 slow'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = async () => {
    for (const connection of connections) connection.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  atEnd(t, stop);
  return { url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`, connections, stop };
}

test('a mail server that is slow at each step is dropped at the overall deadline', async (t) => {
  const { url, connections } = await startSlowServer(t, 300);
  const us = { url, from: 'us@mail.example', host: 'quarters.example', helo: undefined };
  const send = smtpMailer(us, 700);
  await assert.rejects(send({ id: randomUUID(), ...MAIL }));
  await until('the connection is closed', () => connections.size === 0);
  // With time enough, the same server takes the same mail.
  await smtpMailer(us)({ id: randomUUID(), ...MAIL });
});

test('a stop releases the relayers while a mail is still being sent', async (t) => {
  const { url, connections, stop } = await startSlowServer(t, 5_000);
  const { service } = await startTestService(t, { env: { RELAYERS: '2' } });
  const settings = { ...service.settings, smtpUrl: url };
  const other = { ...service, self: newProcess(), settings, settlement: { ...service.settlement, leases: [] } };
  const jobs = await startJobs(other);
  // The first loop would write the mail down: it may be the one that takes it.
  for (let i = 0; connections.size === 0; i++) {
    await queueMail(service, service.db, { to: MAIL.to, write: () => ({ subject: `${i}`, parts: [MAIL.text] }) });
    await until(
      'it is taken',
      async () => (await service.db.query('SELECT FROM mails WHERE attempts = 0')).length === 0,
    );
    await until('it is handed over, or written down', async () => {
      return connections.size > 0 || (await service.db.query('SELECT FROM mails')).length === 0;
    });
  }
  await until('it holds relayers', () => other.settlement.leases.length > 0);
  let stopped = false;
  const stopping = jobs.stop().then(() => {
    stopped = true;
  });
  await until('they are given back', async () => {
    const processes = await service.db.query('SELECT FROM processes');
    return other.settlement.leases.length === 0 && processes.length === 1;
  });
  assert.equal(stopped, false, 'the mail is on its way still');
  await stop();
  await stopping;
});
