import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type Child, startChild } from '../../local/child.ts';
import { freePort } from '../../src/http/listen.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { scratchFolder } from '../kit/unit/scratch.ts';
import { until } from '../kit/unit/until.ts';

const SEATS = 3;

/** HAProxy in front of service processes, which it chooses by `/readyz`. It has seats for them. */
export type Proxy = {
  readonly origin: string;
  /** Sends calls to this process too; resolves when the proxy has seen that it is ready. */
  seat(seat: number, origin: string): Promise<void>;
  /** Whether the proxy sends calls to the process of this seat. */
  isUsed(seat: number): Promise<boolean>;
};

/** It looks every 250 ms, and believes the second red answer. A busy process may take seconds for one. It tries nothing twice, as many proxies do not: no refused call is hidden. */
const config = (port: number, socket: string) => `global
  stats socket ${socket} level admin
  maxconn 2000
defaults
  mode http
  timeout connect 5s
  timeout client 180s
  timeout server 180s
  timeout check 30s
  option forwardfor
  retries 0
frontend players
  bind 127.0.0.1:${port}
  default_backend quarters
backend quarters
  balance roundrobin
  option httpchk GET /readyz
  default-server check inter 250ms fall 2 rise 1
${Array.from({ length: SEATS }, (_, seat) => `  server seat${seat} 127.0.0.1:1 disabled\n`).join('')}`;

export async function startProxy(t: TestContext): Promise<Proxy> {
  const folder = await scratchFolder(t);
  const socket = join(folder, 'haproxy.sock');
  const { port } = await startOnFreePort(t, folder, socket);

  // The name and the operational state of each server. 2: it is running.
  const states = async () => {
    const lines = (await ask(socket, 'show servers state quarters')).split('\n').map((line) => line.split(' '));
    return new Map(lines.map((fields) => [fields[3], fields[5]]));
  };
  const isUsed = async (seat: number) => (await states()).get(`seat${seat}`) === '2';
  return {
    origin: `http://127.0.0.1:${port}`,
    isUsed,
    async seat(seat, origin) {
      const name = `quarters/seat${seat}`;
      const { hostname, port: to } = new URL(origin);
      await ask(socket, `disable server ${name}`);
      await ask(socket, `set server ${name} addr ${hostname} port ${to}`);
      await ask(socket, `set server ${name} health down`);
      await ask(socket, `enable server ${name}`);
      await until(
        `the proxy uses ${name}`,
        () => isUsed(seat),
        async () => [...(await states())].join('\n'),
      );
    },
  };
}

async function startOnFreePort(t: TestContext, folder: string, socket: string): Promise<{ port: number }> {
  for (;;) {
    const port = await freePort();
    const path = join(folder, 'haproxy.cfg');
    await writeFile(path, config(port, socket));
    let output = '';
    const child: Child = await startChild({
      command: 'haproxy',
      args: ['-db', '-f', path],
      env: { PATH: process.env.PATH },
      onOutput: (text) => {
        output += text;
      },
    });
    let isGone = false;
    void child.exited.then(() => {
      isGone = true;
    });
    let listens = false;
    await until('the proxy listens, or is gone', async () => {
      listens = await fetch(`http://127.0.0.1:${port}/`).then(
        () => true,
        () => false,
      );
      return listens || isGone;
    });
    if (!isGone) {
      atEnd(t, () => child.stop({ signal: 'SIGKILL' }));
      return { port };
    }
    // Another process took the port first.
    if (!/Address already in use/.test(output)) throw new Error(output);
  }
}

/** One command to its administration. */
async function ask(path: string, command: string): Promise<string> {
  const socket = connect(path);
  socket.end(`${command}\n`);
  let text = '';
  socket.setEncoding('utf8').on('data', (data) => {
    text += data;
  });
  await once(socket, 'close');
  return text;
}
