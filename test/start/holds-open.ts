// Ends like a program that has finished its work but still listens on a port.
import { createServer } from 'node:net';
import { endIfHeldOpen } from '../../src/process/shutdown.ts';

if (process.argv[2] === 'open') createServer().listen(0, '127.0.0.1');
process.exitCode = 0;
endIfHeldOpen(200);
