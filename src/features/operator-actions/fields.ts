import type { AutoApproveConsent } from '../../identity/apps.ts';
import type { ActionField } from './declaration.ts';

/** How players agree, as pages and commands say it. */
export const WAYS_TO_AGREE = {
  approval: 'by approving a payment',
  box: 'by a box on its page',
} as const satisfies Readonly<Record<AutoApproveConsent, string>>;

/** The most characters of a text that says nothing else. */
export const LONGEST_TEXT = 300;

/** Fields of more than one action. */
export const APP = { kind: 'app', label: 'App', typed: ['<app>', 'the app id'] } as const satisfies ActionField;

export const USER = {
  ...{ kind: 'user', label: 'User', most: 100 },
  typed: ['<user>', "a user id or the address of the user's account"],
} as const satisfies ActionField;

export const PERSON = {
  ...{ kind: 'person', label: 'User', ask: 'E-mail address', input: 'email', most: 254 },
  typed: ['<e-mail>', 'the e-mail address of their account'],
} as const satisfies ActionField;

export const QUARTERS = {
  ...{ kind: 'number', label: 'Quarters' },
  typed: ['<quarters>', 'a whole number, digits only'],
} as const satisfies ActionField;
