import { MAX_QUARTERS } from '../../../src/base/quarters.ts';
import { createEmulatorApp, type NewEmulatorApp } from '../apps.ts';
import { type Control, object } from './control.ts';

const TEXT = { type: 'string' };
const ADDRESSES = { type: 'array', items: TEXT };
export const QUARTERS = { type: 'integer', minimum: 0, maximum: Number(MAX_QUARTERS) };

const APP = object(
  {
    id: TEXT,
    address: TEXT,
    serverKey: TEXT,
    clientSecret: { type: ['string', 'null'] },
    webhookSecret: { type: ['string', 'null'], description: 'Null without a webhook' },
  },
  ['id', 'address', 'serverKey', 'clientSecret', 'webhookSecret'],
);

export const APP_CONTROLS: readonly Control[] = [
  {
    operationId: 'createApp',
    method: 'POST',
    path: '/apps',
    says: 'Makes an app. Its quarters can be spent when this answers.',
    input: object({
      name: TEXT,
      quarters: QUARTERS,
      webhook: { type: 'string', description: "The address of the game's server that takes events" },
      redirectUris: ADDRESSES,
      frameAncestors: ADDRESSES,
      resultOrigins: ADDRESSES,
      publicClient: { type: 'boolean' },
      autoApprove: { type: 'boolean' },
    }),
    result: APP,
    run: ({ world }, given: NewEmulatorApp) => createEmulatorApp(world, given),
  },
];
