import type { House } from '../../../src/service/house.ts';
import type { ControlServer } from '../control/server.ts';
import { type Emulator, type LanPlace, openEmulator } from '../emulator.ts';

export type RunningEmulator = { readonly emulator: Emulator; readonly control: ControlServer; stop(): Promise<void> };

export type EmulatorPlace = {
  readonly port: number;
  readonly controlPort: number;
  readonly lan?: LanPlace | undefined;
  readonly seed?: string | undefined;
};

/** Starts the emulator in this process, which it changes for good: its clock is the emulator's. */
export async function runEmulator(house: House, { controlPort, ...given }: EmulatorPlace): Promise<RunningEmulator> {
  const emulator = await openEmulator({ env: process.env, house, ...given });
  // It needs what the service needs, which is loaded by now.
  const { openControl } = await import('../control/server.ts');
  const control = await openControl(emulator, controlPort);
  return {
    emulator,
    control,
    async stop() {
      await control.close();
      await emulator.stop();
    },
  };
}

/** The line that programs read. */
export function startLine({ emulator: { url, world }, control }: RunningEmulator): string {
  const { chainId, contracts } = world.service.chain;
  const chain = { rpcUrl: world.gate.url, chainId, token: contracts.token };
  return `${JSON.stringify({ url, control: control.url, token: control.token, page: `${control.url}/#${control.token}`, chain, pid: process.pid })}\n`;
}
