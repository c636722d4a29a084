import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { SMTPServer } from 'smtp-server';
import { atEnd } from '../support/at-end.ts';

/** What a mail server was given. */
export type ReceivedMail = { readonly from: string; readonly to: readonly string[]; readonly raw: string };
type Refusal = { readonly code: number; readonly times: number };

export type MailServer = {
  readonly url: string;
  readonly received: ReceivedMail[];
  /** Refuses the next recipients. */
  refuse(refusal: Refusal): void;
  stop(): Promise<void>;
};

/** A real SMTP server; `port` 0 takes a free one. */
export async function startMailServer(t: TestContext, port = 0): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  let refusal: Refusal = { code: 0, times: 0 };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onRcptTo(_address, _session, done) {
      const { code, times } = refusal;
      if (times === 0) return done();
      refusal = { code, times: times - 1 };
      done(Object.assign(new Error('not now'), { responseCode: code }));
    },
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = envelope;
        received.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          raw: Buffer.concat(chunks).toString(),
        });
        done();
      });
    },
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  server.on('error', () => {});
  const url = `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
  const refuse = (next: Refusal) => {
    refusal = next;
  };
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= new Promise((resolve) => server.close(() => resolve()));
    return stopped;
  };
  atEnd(t, stop);
  return { url, received, stop, refuse };
}
