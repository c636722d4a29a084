import { callsTo } from './calls.ts';
import { type Emulator, emulatorOf } from './emulator.ts';
import { type StartOptions, startProcess } from './start.ts';

export type { AppOrId } from './apps.ts';
export type * from './controls.generated.ts';
export type { Emulator } from './emulator.ts';
export { EmulatorError } from './errors.ts';
export type { Next } from './outcomes.ts';
export type { NewPlayer, Player, PlayerActs } from './players.ts';
export type { StartOptions } from './start.ts';
export type { Duration } from './time.ts';

/** Starts an emulator, which ends by `stop()`, and with this process at the latest. */
export async function startEmulator(options: StartOptions = {}): Promise<Emulator> {
  const { control, token, url, stop } = await startProcess(options);
  return emulatorOf({ call: callsTo({ url: control, token }), url, stop });
}

export type ConnectOptions = {
  /** `control` of the start line; by default QUARTERS_EMULATOR_URL, which `quarters test` sets. */
  readonly url?: string;
  /** `token` of the start line; by default QUARTERS_EMULATOR_TOKEN. */
  readonly token?: string;
};

/** Connects to an emulator that somebody else has started, and ends. */
export async function connectEmulator(options: ConnectOptions = {}): Promise<Emulator> {
  const { url = process.env.QUARTERS_EMULATOR_URL, token = process.env.QUARTERS_EMULATOR_TOKEN } = options;
  if (!url || !token)
    throw new Error('No emulator is named: give url and token, or run the tests by `quarters test -- <command>`');
  const call = callsTo({ url, token });
  const { url: service } = await call('readState', {});
  return emulatorOf({ call, url: service, app: process.env.QUARTERS_APP_ID, stop: async () => {} });
}
