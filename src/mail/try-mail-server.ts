import { once } from 'node:events';
import type { Socket } from 'node:net';
import { type MailServer, smtpOptions } from './mail.ts';

/** A step of handing a mail over that the server refused, and its words. */
export type RefusedStep = { readonly command: 'MAIL FROM' | 'RCPT TO'; readonly reply: string };

/**
 * Asks the SMTP server to take a mail to this address, as a mailer does, and leaves before there is one: nothing is sent. Returns what it
 * refused; null if it would take the mail. Rejects if the server cannot be used.
 */
export async function tryMailServer(server: MailServer, to: string, timeoutMs: number): Promise<RefusedStep | null> {
  const { default: SmtpTransport } = await import('nodemailer/lib/smtp-transport');
  const { default: SmtpConnection } = await import('nodemailer/lib/smtp-connection');
  const transport = new SmtpTransport(smtpOptions(server, timeoutMs));
  const connection = new SmtpConnection(transport.options);
  const lost = Promise.withResolvers<never>();
  connection.on('error', lost.reject);
  connection.on('end', () => lost.reject(new Error('The server closed the connection.')));
  lost.promise.catch(() => {});
  const step = (take: (done: (error?: Error | null) => void) => void) =>
    Promise.race([
      new Promise<void>((resolve, reject) => take((error) => (error ? reject(error) : resolve()))),
      lost.promise,
    ]);
  try {
    await step((done) => connection.connect(done));
    const auth = transport.getAuth({});
    if (auth && connection.allowsAuth) await step((done) => connection.login(auth, done));
    return await Promise.race([ask(connection._socket as Socket, addressIn(server.from), to), lost.promise]);
  } finally {
    connection.close();
  }
}

/** The library can only send a whole mail. So the first two commands of one are given here (RFC 5321, section 3.3). */
async function ask(socket: Socket, from: string, to: string): Promise<RefusedStep | null> {
  socket.removeAllListeners('data');
  for (const [command, address] of [
    ['MAIL FROM', from],
    ['RCPT TO', to],
  ] as const) {
    socket.write(`${command}:<${address}>\r\n`);
    const reply = await replyOn(socket);
    if (!reply.startsWith('2')) return { command, reply: reply.replace(/\s+/g, ' ').trim() };
  }
  socket.end('QUIT\r\n');
  return null;
}

/** All lines of one reply: only the last has a space after its code. */
async function replyOn(socket: Socket): Promise<string> {
  let reply = '';
  while (!/^\d{3}( .*)?\r?\n/m.test(reply)) reply += String((await once(socket, 'data'))[0]);
  return reply;
}

/** The address in `Quarters <quarters@localhost>`. */
function addressIn(mailFrom: string): string {
  return /<([^<>]*)>\s*$/.exec(mailFrom)?.[1] ?? mailFrom.trim();
}
