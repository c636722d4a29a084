// Starts two children, prints their pids and waits to be killed. The second one ignores SIGTERM.
import { startChild } from '../../local/child.ts';

process.on('SIGINT', () => {});
const children = [
  await startChild({ command: '/bin/sleep', args: ['300'] }),
  await startChild({
    command: '/bin/sh',
    args: ['-c', 'trap "" TERM; while :; do sleep 300; done'],
    env: { PATH: '/usr/bin:/bin' },
    graceMs: 500,
  }),
];
console.log(JSON.stringify(children.map((child) => child.pid)));
setInterval(() => {}, 1_000);
