import type { AppId } from '../../../base/ids.ts';
import { invalidInput, Problem } from '../../../base/problems.ts';
import { lesser, type Quarters } from '../../../base/quarters.ts';
import { storeAutoApprovalOff, storeAutoApprovalOn, usualConsent } from '../../../identity/app-auto-approval.ts';
import { type App, type AutoApproveConsent, lookUpNamedApp } from '../../../identity/apps.ts';
import { noSuchApp } from '../../../service/managers.ts';
import { grantToApprovers } from '../../apps/auto-approval.ts';
import { recordAppChange } from '../../apps/record-app-change.ts';
import type { ActionDeed } from '../action-deed.ts';
import { WAYS_TO_AGREE } from '../fields.ts';
import { inQuarters, livingApp } from '../named-subjects.ts';
import { quartersOf } from '../read-fields.ts';

/** `per…`: the most that spending limits for this app allow; null: what the settings allow. */
type Terms = {
  readonly app: AppId;
  readonly perTransfer: number | null;
  readonly perDay: number | null;
  /** Left out in an action that an earlier release has stored. */
  readonly consent?: AutoApproveConsent;
};

/** `consent`: null if nobody said. */
type Asked = Omit<Terms, 'consent'> & { readonly consent: AutoApproveConsent | null };

/** Lets players set a spending limit for an app. */
export const ENABLE_AUTO_APPROVAL: ActionDeed<Terms, Asked> = {
  waits: true,
  async resolve({ db, settings }, { consent, ...limits }) {
    const { app, perTransfer, perDay } = limits;
    if (perTransfer !== null && perDay !== null && perTransfer > perDay)
      throw invalidInput('/perTransfer', 'must not be more than the limit per day');
    return { ...limits, consent: consent ?? usualConsent((await lookUpNamedApp(db, app))!, settings.defaultConsent) };
  },
  amount: ({ perDay }, { mandatePerDay }) => within(mandatePerDay, perDay),
  async preview(service, { app: id, perTransfer, perDay, consent = 'box' }) {
    const app = await livingApp(service, id);
    const { mandatePerTransfer, mandatePerDay } = service.settings;
    const now = (most: Quarters, own: Quarters | null) =>
      app.autoApprove ? inQuarters(own ? lesser(most, own) : most) : 'none';
    return {
      sentence: `Let players set a spending limit for the app ${app.name}.${
        consent === 'box' ? '' : ' Those who approved a payment before get one, and an e-mail about it.'
      }`,
      facts: [
        ['Auto approval', `${onOff(app)} → on`],
        [
          'Players agree',
          `${app.autoApprove ? WAYS_TO_AGREE[app.autoApproveConsent] : 'not yet'} → ${WAYS_TO_AGREE[consent]}`,
        ],
        [
          'Most per payment',
          `${now(mandatePerTransfer, app.mandatePerTransfer)} → ${inQuarters(within(mandatePerTransfer, perTransfer))}`,
        ],
        ['Most per day', `${now(mandatePerDay, app.mandatePerDay)} → ${inQuarters(within(mandatePerDay, perDay))}`],
      ],
    };
  },
  async apply(_service, tx, { app: id, perTransfer, perDay, consent = 'box' }, { reason }) {
    const terms = {
      autoApproveConsent: consent,
      mandatePerTransfer: perTransfer === null ? null : quartersOf(perTransfer),
      mandatePerDay: perDay === null ? null : quartersOf(perDay),
    };
    const enable = () => storeAutoApprovalOn(tx, id, terms);
    if (!(await recordAppChange(tx, 'auto-approval-enabled', id, enable, reason))) throw noSuchApp(id);
    return null;
  },
  // Where a box is asked for, nobody agrees without it.
  finish: async (service, { app, consent = 'box' }) => ({
    state: 'done',
    result: consent === 'box' ? { granted: 0 } : await grantToApprovers(service, app).catch(ifDeleted),
  }),
  note: ({ security }, { app }) => security.note('auto-approval-enabled', { appId: app }),
};

/** The app may have been deleted right after the change. */
function ifDeleted(error: unknown): { granted: number } {
  if (error instanceof Problem && error.code === 'not-found') return { granted: 0 };
  throw error;
}

type Params = { readonly app: AppId };

/** Makes the app ask for every payment. */
export const DISABLE_AUTO_APPROVAL: ActionDeed<Params> = {
  async preview(service, { app: id }) {
    const app = await livingApp(service, id);
    return {
      sentence: `Make the app ${app.name} ask for every payment. Spending limits apply again when you enable it again.`,
      facts: [['Auto approval', `${onOff(app)} → off`]],
    };
  },
  async apply(_service, tx, { app: id }, { reason }) {
    const disable = () => storeAutoApprovalOff(tx, id);
    if (!(await recordAppChange(tx, 'auto-approval-disabled', id, disable, reason))) throw noSuchApp(id);
    return null;
  },
  note: ({ security }, { app }) => security.note('auto-approval-disabled', { appId: app }),
};

function within(most: Quarters, limit: number | null): Quarters {
  return limit === null ? most : lesser(most, quartersOf(limit));
}

const onOff = ({ autoApprove }: App) => (autoApprove ? 'on' : 'off');
