import { randomUUID } from 'node:crypto';
import { html } from 'hono/html';
import type { AppId, TransferId, UserId } from '../../../base/ids.ts';
import { WAYS_TO_AGREE } from '../../../features/operator-actions/kinds/auto-approval.ts';
import { LONGEST_REASON } from '../../../features/operator-actions/perform-action.ts';
import type { App } from '../../../identity/apps.ts';
import type { Transfer } from '../../../settlement/tables/transfers.ts';
import { choice, field, hidden } from '../../../web/fields.ts';
import type { Markup } from '../../../web/layout.ts';
import type { Visitor } from '../../../web/visitor.ts';
import { consoleForm } from '../../consoles/console.ts';

/** Shows what an action will do, and asks for confirmation. */
export const PREPARE_PATH = '/operator/actions/prepare';

export type ActionForm = {
  readonly kind: string;
  /** The parameters that the page knows. */
  readonly known: Readonly<Record<string, string>>;
  readonly button: string;
  /** Unique in the page. */
  readonly name: string;
  /** Further fields that the operator fills in. */
  readonly fields?: Markup;
  readonly reason?: string | undefined;
};

/**
 * The form of an action, with an id of its own: sent twice, it has one effect. `page`: where the operator returns to after confirming who
 * they are.
 */
export function actionForm(visitor: Visitor, page: string, form: ActionForm): Markup {
  const content = html`${hidden('action', randomUUID())}${hidden('kind', form.kind)}
${Object.entries(form.known).map(([name, value]) => hidden(name, value))}
${form.fields}
${reasonField(form.name, form.reason)}
<button class="secondary">${form.button}</button>`;
  return consoleForm(visitor, PREPARE_PATH, page, content);
}

function reasonField(form: string, value: string | undefined): Markup {
  const id = `reason-${form}`;
  return html`<div class="field">
<label for="${id}">Reason</label>
<input id="${id}" name="reason" type="text" value="${value ?? ''}" required maxlength="${LONGEST_REASON}" autocomplete="off" aria-describedby="${id}-hint">
<p class="hint" id="${id}-hint">For the operator’s log. Players never see it.</p>
</div>`;
}

/** What an operator may do with a user, as forms. */
export function userActions(
  visitor: Visitor,
  user: { readonly id: UserId; readonly kind: 'guest' | 'full' | 'closed'; readonly isFrozen: boolean },
): Markup {
  const page = `/operator/users/${user.id}`;
  if (user.kind === 'closed') return html`<p class="hint">This account is closed.</p>`;
  const known = { user: user.id };
  const freeze = user.isFrozen
    ? folded(visitor, page, { kind: 'unfreeze-user', known, name: 'unfreeze', button: 'Unfreeze…' })
    : folded(visitor, page, { kind: 'freeze-user', known, name: 'freeze', button: 'Freeze…' });
  const fields = amountField('reward-quarters');
  const reward =
    user.kind === 'full' &&
    folded(visitor, page, { kind: 'grant-reward', known, name: 'reward', button: 'Grant a reward…', fields });
  return html`${freeze}${issueTo(visitor, page, user.id)}${reward}`;
}

/** What an operator may do with an app. */
export function appActions(
  visitor: Visitor,
  app: Pick<App, 'id' | 'verifiedAt' | 'autoApprove' | 'autoApproveConsent' | 'deletedAt' | 'suspendedAt'>,
): Markup {
  const page = `/operator/apps/${app.id}`;
  if (app.deletedAt) return html`<p class="hint">This app is deleted.</p>`;
  const known = { app: app.id };
  const choose = (on: boolean, ifOn: [string, string], ifOff: [string, string], fields?: Markup) => {
    const [kind, button] = on ? ifOn : ifOff;
    return folded(visitor, page, { kind, known, name: kind, button, ...(!on && fields && { fields }) });
  };
  return html`${choose(app.suspendedAt !== null, ['resume-app', 'Resume…'], ['suspend-app', 'Suspend…'])}
${choose(app.verifiedAt !== null, ['unverify-app', 'Remove the verified mark…'], ['verify-app', 'Verify…'])}
${choose(
  app.autoApprove,
  ['disable-auto-approval', 'Disable auto approval…'],
  ['enable-auto-approval', 'Enable auto approval…'],
  termFields(app),
)}
${app.autoApprove && folded(visitor, page, { kind: 'enable-auto-approval', known, name: 'limits', button: 'Change the limits of auto approval…', fields: termFields(app) })}
${issueTo(visitor, page, app.id)}`;
}

/** What an operator may do with a transfer. */
export function transferActions(
  visitor: Visitor,
  {
    id,
    status,
    cancelling,
  }: { readonly id: TransferId; readonly status: Transfer['status']; readonly cancelling: boolean },
): Markup {
  if (status === 'completed' || status === 'failed') return html`<p class="hint">This transfer is ${status}.</p>`;
  if (cancelling) return html`<p class="hint">Its cancellation is on its way.</p>`;
  const form = { kind: 'cancel-transfer', known: { transfer: id }, name: 'cancel', button: 'Cancel this transfer…' };
  return folded(visitor, `/operator/transfers/${id}`, form);
}

const OPERATORS_PAGE = '/operator/operators';

/** Gives the role to somebody by e-mail address. */
export function addOperatorForm(visitor: Visitor): Markup {
  const fields = field({ name: 'email', label: 'E-mail address', type: 'email', autocomplete: 'off', maxlength: 254 });
  return actionForm(visitor, OPERATORS_PAGE, {
    kind: 'add-operator',
    known: {},
    name: 'add',
    button: 'Continue',
    fields,
  });
}

/** Takes the role from an operator in a list. */
export function removeOperatorForm(visitor: Visitor, user: UserId, displayName: string): Markup {
  const form = { kind: 'remove-operator', known: { user }, name: user, button: 'Continue' };
  return html`<details class="more"><summary aria-label="Remove ${displayName}…">Remove…</summary>
${actionForm(visitor, OPERATORS_PAGE, form)}
</details>`;
}

function issueTo(visitor: Visitor, page: string, recipient: UserId | AppId): Markup {
  const fields = amountField('issue-quarters');
  return folded(visitor, page, {
    kind: 'issue',
    known: { recipient },
    name: 'issue',
    button: 'Issue quarters…',
    fields,
  });
}

function folded(visitor: Visitor, page: string, form: ActionForm): Markup {
  return html`<details class="more act"><summary>${form.button}</summary>
${actionForm(visitor, page, { ...form, button: 'Continue' })}
</details>`;
}

/** `id`: unique in the page. */
function amountField(id: string, name = 'quarters', label = 'Quarters', optional = false): Markup {
  return html`<div class="field">
<label for="${id}">${label}</label>
<input id="${id}" name="${name}" type="text" inputmode="numeric" pattern="[1-9][0-9]{0,15}"${!optional && html` required`} maxlength="16" autocomplete="off">
</div>`;
}

function termFields({ autoApproveConsent }: Pick<App, 'autoApproveConsent'>): Markup {
  return html`${amountField('per-transfer', 'perTransfer', 'Most per payment (empty: the setting)', true)}
${amountField('per-day', 'perDay', 'Most per day (empty: the setting)', true)}
${choice({ name: 'consent', label: 'Players agree', value: autoApproveConsent, options: Object.entries(WAYS_TO_AGREE) })}`;
}

/** The fields of a form that names its recipient itself. */
export function recipientFields(
  name: 'recipient' | 'user',
  label: string,
  given: { readonly who?: string | undefined; readonly quarters?: string | undefined },
): Markup {
  return html`${field({ name, label, autocomplete: 'off', maxlength: 100, value: given.who })}
${field({ name: 'quarters', label: 'Quarters', autocomplete: 'off', inputmode: 'numeric', maxlength: 16, value: given.quarters })}`;
}
