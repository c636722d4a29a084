import { createEmulatorApp } from '../apps.ts';
import type { RunningEmulator } from './run-emulator.ts';

/** Makes an app, and says what a game's tests need of it. */
export async function appEnvironment({ emulator, control }: RunningEmulator): Promise<Record<string, string>> {
  // Nobody listens there. The secret signs what a test sends to its own handler, or what the emulator sends to an address that is added later.
  const app = await createEmulatorApp(emulator.world, {});
  return {
    QUARTERS_URL: emulator.url,
    QUARTERS_APP_ID: app.id,
    QUARTERS_APP_ADDRESS: app.address,
    QUARTERS_SERVER_KEY: app.serverKey,
    QUARTERS_CLIENT_SECRET: app.clientSecret ?? '',
    QUARTERS_EMULATOR_URL: control.url,
    QUARTERS_EMULATOR_TOKEN: control.token,
  };
}
