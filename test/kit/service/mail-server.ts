import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { SMTPServer } from 'smtp-server';
import { atEnd } from '../unit/at-end.ts';

/** What a mail server was given. */
export type ReceivedMail = { readonly from: string; readonly to: readonly string[]; readonly raw: string };
/** `says`: the words behind the code. `at`: after the recipient was named, or after the whole mail has come. */
type Refusal = {
  readonly code: number;
  readonly times: number;
  readonly says?: string;
  readonly at?: 'recipient' | 'content';
};

export type MailServer = {
  readonly url: string;
  readonly received: ReceivedMail[];
  /** What its last caller called itself. */
  readonly helo: string;
  /** Refuses the next recipients or mails. */
  refuse(refusal: Refusal): void;
  stop(): Promise<void>;
};

/** A real SMTP server; `port` 0 takes a free one. */
export async function startMailServer(t: TestContext, port = 0): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  let refusal: Refusal = { code: 0, times: 0 };
  let helo = '';
  /** Null: it is taken. */
  const refusedAt = (place: Refusal['at']) => {
    const { code, times, says = 'not now', at = 'recipient' } = refusal;
    if (times === 0 || at !== place) return null;
    refusal = { ...refusal, times: times - 1 };
    return Object.assign(new Error(says), { responseCode: code });
  };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onRcptTo(_address, { hostNameAppearsAs }, done) {
      helo = String(hostNameAppearsAs);
      done(refusedAt('recipient'));
    },
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const refused = refusedAt('content');
        if (refused) return done(refused);
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
  return {
    ...{ url, received, stop, refuse },
    get helo() {
      return helo;
    },
  };
}
