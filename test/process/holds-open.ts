// Ends like a program whose work is done while it still listens.
import { createServer } from 'node:net';
import { endIfHeldOpen } from '../../src/process/held-open.ts';

if (process.argv[2] === 'open') createServer().listen(0, '127.0.0.1');
process.exitCode = 0;
endIfHeldOpen(200);
