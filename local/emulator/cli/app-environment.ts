import { newWebhookSecret } from '../../../src/webhooks/send.ts';
import { createEmulatorApp } from '../apps.ts';
import { AT_THE_START } from '../kept-rows.ts';
import type { RunningEmulator } from './run-emulator.ts';

/** Makes an app, which a reset keeps, and says what a game's tests need of it. `webhook`: where the game's server takes its events. */
export async function appEnvironment(
  { emulator, control }: RunningEmulator,
  webhook: string | undefined,
): Promise<Record<string, string>> {
  const app = await createEmulatorApp(emulator.world, webhook === undefined ? {} : { webhook });
  // Without an address, tests sign events themselves, for the game's own handler.
  const ownSecret = () => emulator.world.randomness.seeded('webhook secret', async () => newWebhookSecret());
  await emulator.snapshots.take(AT_THE_START);
  return {
    QUARTERS_URL: emulator.url,
    QUARTERS_APP_ID: app.id,
    QUARTERS_APP_ADDRESS: app.address,
    QUARTERS_SERVER_KEY: app.serverKey,
    QUARTERS_CLIENT_SECRET: app.clientSecret ?? '',
    QUARTERS_WEBHOOK_SECRET: app.webhookSecret ?? (await ownSecret()),
    QUARTERS_EMULATOR_URL: control.url,
    QUARTERS_EMULATOR_TOKEN: control.token,
  };
}
