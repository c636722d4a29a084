import { html } from 'hono/html';
import type { App } from '../../identity/apps.ts';
import { MAX_REPORT_CHARACTERS, REASONS, type Reason } from '../../requests/reports.ts';
import { branding } from '../../web/branding.ts';
import { area, hidden } from '../../web/fields.ts';
import { layout, type Markup } from '../../web/layout.ts';
import type { ApprovalContext } from './approval-context.ts';

export type ReportPage = {
  readonly app: App;
  /** Where the forms are sent. */
  readonly action: string;
  /** The form token of the payment's page. */
  readonly formToken: string;
  /** How the payment's page was opened. The forms carry it on. */
  readonly visit: ApprovalContext;
};

/** What the player has filled in, and what is wrong with it. */
export type ReportDraft = {
  readonly reason?: Reason | undefined;
  readonly text?: string | undefined;
  readonly errors?: { readonly reason?: string | undefined; readonly text?: string | undefined };
  readonly notice?: string;
};

/** Asks the player what is wrong with the payment. */
export function reportPage(page: ReportPage, { reason, text, errors = {}, notice }: ReportDraft): Markup {
  return layout(
    page.visit,
    'Report a problem',
    html`<main>
${branding(page.app)}
<h1>What’s wrong with this payment?</h1>
<p>Only we see this. Your payment doesn’t change.</p>
${notice && html`<p class="notice" role="alert">${notice}</p>`}
<form method="post" action="${page.action}">
${carried(page)}
<fieldset${errors.reason && html` aria-describedby="reason-error"`}>
<legend>Choose what fits best</legend>
${(Object.keys(REASONS) as Reason[]).map(
  (name) =>
    html`<label class="choice"><input type="radio" name="reason" value="${name}" required${name === reason && html` checked`}>${REASONS[name]}</label>`,
)}
${errors.reason && html`<p class="error" id="reason-error">${errors.reason}</p>`}
</fieldset>
${area({
  name: 'text',
  label: 'Details (optional)',
  rows: 4,
  value: text,
  hint: `Up to ${MAX_REPORT_CHARACTERS} characters. Don’t include passwords or codes.`,
  error: errors.text,
})}
<button class="primary" name="step" value="send">Send report</button>
</form>
${backForm(page)}
</main>`,
  );
}

/** Thanks the player and leads back. */
export function reportedPage(page: ReportPage): Markup {
  return layout(
    page.visit,
    'Thank you',
    html`<main>
<h1>Thank you</h1>
<p>We’ll look into your report. Your payment hasn’t changed.</p>
${backForm(page)}
</main>`,
  );
}

/** The link from a payment's page to its report. It is a form, so that no token is in an address. */
export function reportLink(page: Omit<ReportPage, 'app'>): Markup {
  return html`<form class="aside" method="post" action="${page.action}">
${carried(page)}
<button class="link">Report a problem</button>
</form>`;
}

function backForm(page: ReportPage): Markup {
  return html`<form method="post" action="${page.action}">
${carried(page)}
<button class="secondary" name="step" value="back">Back to the payment</button>
</form>`;
}

/** Hidden fields of every form here. They hold the form token, never the guest's page token. */
function carried({ formToken, visit }: Omit<ReportPage, 'app'>): Markup {
  return html`${hidden('page_token', formToken)}${hidden('redirect_uri', visit.named)}${hidden(
    'inline',
    visit.inline ? 'true' : undefined,
  )}${hidden('frame_id', visit.frameId)}${hidden('proof', visit.proof ? 'true' : undefined)}${hidden('opened_by', visit.openedBy)}`;
}
