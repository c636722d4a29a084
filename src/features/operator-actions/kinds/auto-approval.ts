import type { AppId } from '../../../base/ids.ts';
import { invalidInput, Problem } from '../../../base/problems.ts';
import { lesser, type Quarters } from '../../../base/quarters.ts';
import { storeAutoApprovalOff, storeAutoApprovalOn } from '../../../identity/app-auto-approval.ts';
import type { App } from '../../../identity/apps.ts';
import type { Service } from '../../../settlement/service.ts';
import { grantToApprovers } from '../../apps/auto-approval.ts';
import { noSuchApp } from '../../apps/managers.ts';
import { recordAppChange } from '../../apps/record-app-change.ts';
import { actionKind } from '../action-kind.ts';
import { inQuarters, livingApp, namedApp } from '../named-subjects.ts';
import { optionalAmount, quartersOf } from '../read-input.ts';

/** `per…`: the most that spending limits for this app allow; null: what the settings allow. */
type Limits = { readonly app: AppId; readonly perTransfer: number | null; readonly perDay: number | null };

/** Lets players set a spending limit for an app. */
export const ENABLE_AUTO_APPROVAL = actionKind<Limits>({
  name: 'enable-auto-approval',
  title: 'Enable auto approval',
  async read(service, input) {
    const perTransfer = optionalAmount(input, 'perTransfer');
    const perDay = optionalAmount(input, 'perDay');
    if (perTransfer !== null && perDay !== null && perTransfer > perDay) {
      throw invalidInput('/perTransfer', 'must not be more than the limit per day');
    }
    return { app: (await namedApp(service, input)).id, perTransfer, perDay };
  },
  subject: ({ app }) => ({ kind: 'app', id: app }),
  amount: ({ perDay }, { mandatePerDay }) => within(mandatePerDay, perDay),
  async preview(service, { app: id, perTransfer, perDay }) {
    const app = await livingApp(service, id);
    const { mandatePerTransfer, mandatePerDay } = service.settings;
    const now = (most: Quarters, own: Quarters | null) =>
      app.autoApprove ? inQuarters(own ? lesser(most, own) : most) : 'none';
    return {
      sentence: `Let players set a spending limit for the app ${app.name}. Those who approved a payment before get one, and an e-mail about it.`,
      facts: [
        ['Auto approval', `${onOff(app)} → on`],
        [
          'Most per payment',
          `${now(mandatePerTransfer, app.mandatePerTransfer)} → ${inQuarters(within(mandatePerTransfer, perTransfer))}`,
        ],
        ['Most per day', `${now(mandatePerDay, app.mandatePerDay)} → ${inQuarters(within(mandatePerDay, perDay))}`],
      ],
    };
  },
  async apply(_service, tx, { app: id, perTransfer, perDay }, { reason }) {
    const limits = {
      mandatePerTransfer: perTransfer === null ? null : quartersOf(perTransfer),
      mandatePerDay: perDay === null ? null : quartersOf(perDay),
    };
    const enable = () => storeAutoApprovalOn(tx, id, limits);
    if (!(await recordAppChange(tx, 'auto-approval-enabled', id, enable, reason))) throw noSuchApp(id);
    return null;
  },
  finish: async (service, { app }) => ({
    state: 'done',
    result: await grantToApprovers(service, app).catch(ifDeleted),
  }),
  note: ({ security }, { app }) => security.note('auto-approval-enabled', { appId: app }),
});

/** The app may have been deleted right after the change. */
function ifDeleted(error: unknown): { granted: number } {
  if (error instanceof Problem && error.code === 'not-found') return { granted: 0 };
  throw error;
}

type Params = { readonly app: AppId };

/** Makes the app ask for every payment. */
export const DISABLE_AUTO_APPROVAL = actionKind<Params>({
  name: 'disable-auto-approval',
  title: 'Disable auto approval',
  read: async (service: Service, input) => ({ app: (await namedApp(service, input)).id }),
  subject: ({ app }) => ({ kind: 'app', id: app }),
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
});

function within(most: Quarters, limit: number | null): Quarters {
  return limit === null ? most : lesser(most, quartersOf(limit));
}

const onOff = ({ autoApprove }: App) => (autoApprove ? 'on' : 'off');
