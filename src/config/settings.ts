import { ACCOUNT_SETTINGS } from './account-settings.ts';
import { BRAND_SETTINGS } from './brand-settings.ts';
import { CHAIN_SETTINGS } from './chain-settings.ts';
import { LIMIT_SETTINGS } from './limit-settings.ts';
import { MAIL_SETTINGS } from './mail-settings.ts';
import { OPERATION_SETTINGS } from './operation-settings.ts';
import { PAYMENT_SETTINGS } from './payment-settings.ts';
import { SERVICE_SETTINGS } from './service-settings.ts';

/** Every setting of the service, in the order of the documentation. An empty value counts as unset. */
export const SETTINGS = {
  ...SERVICE_SETTINGS,
  ...CHAIN_SETTINGS,
  ...PAYMENT_SETTINGS,
  ...LIMIT_SETTINGS,
  ...MAIL_SETTINGS,
  ...BRAND_SETTINGS,
  ...ACCOUNT_SETTINGS,
  ...OPERATION_SETTINGS,
} as const;

export type Settings = { readonly [K in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[K]['parse']> };
