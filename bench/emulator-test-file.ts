/**
 * What a file with tests of a game does, for `emulator.ts`: makes an app and a player, and tests some payments. Its arguments are how many,
 * and where an emulator is controlled. Without the latter it starts one of its own.
 */
import { join } from 'node:path';
import { connectEmulator, startEmulator } from '../sdk/emulator/src/index.ts';
import { newBenchGame } from './emulator-game.ts';

const [payments, url, token = ''] = process.argv.slice(2);
const program = join(import.meta.dirname, '../bin/quarters.mjs');
const emulator = await (url
  ? connectEmulator({ url, token })
  : startEmulator({ command: [process.execPath, program] }));
const game = await newBenchGame(emulator);
for (let left = Number(payments); left > 0; left--) await game.pay(emulator.settled);
await emulator.stop();
