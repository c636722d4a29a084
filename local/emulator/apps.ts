import { createApp } from '../../src/features/apps/create-app.ts';
import { addEndpoint } from '../../src/features/webhooks/manage-webhook-endpoints.ts';
import { OPERATOR } from '../../src/service/managers.ts';
import { fund, requireArrival } from './funding.ts';
import type { World } from './world.ts';

export type NewEmulatorApp = {
  readonly name?: string;
  /** In its account. 10,000 if it is left out. */
  readonly quarters?: number;
  /** Where its events go: the address of the game's server. */
  readonly webhook?: string;
  readonly redirectUris?: readonly string[];
  readonly frameAncestors?: readonly string[];
  readonly resultOrigins?: readonly string[];
  /** A game without a server of its own: it has no client secret. */
  readonly publicClient?: boolean;
  /** Requests of players who have granted a limit are approved by themselves. */
  readonly autoApprove?: boolean;
};

/** An app whose quarters can be spent. Secrets are shown here alone. */
export type EmulatorApp = {
  readonly id: string;
  readonly address: string;
  readonly serverKey: string;
  /** Null for a public client. */
  readonly clientSecret: string | null;
  /** Signs the events. Null without a webhook. */
  readonly webhookSecret: string | null;
};

const QUARTERS = 10_000;

export function createEmulatorApp(world: World, given: NewEmulatorApp): Promise<EmulatorApp> {
  return world.randomness.seeded('app', () => create(world, given));
}

async function create(world: World, given: NewEmulatorApp): Promise<EmulatorApp> {
  const { service } = world;
  const { quarters = QUARTERS, webhook, name = 'Game', ...details } = given;
  requireArrival(world, quarters);
  const { app, address, serverKey, clientSecret } = await createApp(service, OPERATOR, {
    name,
    testQuarters: false,
    redirectUris: [...(details.redirectUris ?? [])],
    frameAncestors: [...(details.frameAncestors ?? [])],
    resultOrigins: [...(details.resultOrigins ?? [])],
    publicClient: details.publicClient ?? false,
    autoApprove: details.autoApprove ?? false,
  });
  const manager = { by: OPERATOR, appId: app.id };
  const endpoint = webhook === undefined ? null : await addEndpoint(service, manager, { url: webhook, types: null });
  await fund(world, app.id, quarters);
  return { id: app.id, address, serverKey, clientSecret, webhookSecret: endpoint?.secret ?? null };
}
