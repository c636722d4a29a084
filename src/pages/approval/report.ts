import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { Problem } from '../../base/problems.ts';
import { approvalView } from '../../features/approvals/open-approval.ts';
import { requestByFormToken } from '../../features/approvals/page-access.ts';
import { reportProblem } from '../../features/reports/reports.ts';
import { clientAddress } from '../../http/rate-limits.ts';
import type { App } from '../../identity/apps.ts';
import { MAX_REPORT_CHARACTERS, REASONS, type Reason } from '../../requests/reports.ts';
import type { Service } from '../../service/service.ts';
import { branding } from '../../web/branding.ts';
import { area, fieldError } from '../../web/fields.ts';
import { checksForm, isForeignForm } from '../../web/form-guard.ts';
import { layout, type Markup, type Page } from '../../web/layout.ts';
import { pageHead } from '../../web/page-head.ts';
import { catchRefusal } from '../../web/page-scope.ts';
import { frameIdOf, parameter } from '../../web/request-parameters.ts';

import { sendMessage, sendPage } from '../../web/send-page.ts';
import { refusalText, type Words } from '../../words/words.ts';
import {
  type ApprovalContext,
  contextFields,
  contextParameters,
  readApprovalContext,
  requestIdOf,
  sessionOf,
} from './approval-context.ts';
import { foreignDecision, refuseRedirect } from './approval-failures.ts';
import { showApproval } from './approval-page.ts';
import { deliverResult } from './result.ts';

/**
 * POST /requests/{id}/report: `step` says whether the form is asked for, sent or left, or was sent before. Every step is a form with the page's form
 * token, because an address would show a guest's token to everyone who sees it.
 */
export function reportRoute(server: FastifyInstance, service: Service): void {
  const path = `${service.settings.approvalPath ?? ''}/requests/:id/report`;
  server.get(path, { config: { isUnlisted: true } }, async () => {
    throw new Problem('not-found', 'Only forms are sent here.');
  });
  server.post(
    path,
    checksForm((request: FastifyRequest, reply: FastifyReply) => takeStep(service, request, reply)),
  );
}

async function takeStep(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { words } = request;
  if (isForeignForm(request.headers, service.publicUrl)) {
    service.security.note('foreign-form');
    return sendMessage(request, reply, foreignDecision(words), []);
  }
  const { body } = request;
  const formToken = parameter(body, 'page_token') ?? '';
  const session = await sessionOf(service, request);
  const opened = await requestByFormToken(service, requestIdOf(request), formToken, session);
  const { request: payment } = opened;
  const view = await approvalView(service, opened);
  const context = readApprovalContext(request, body, view.app);
  if (!context) return refuseRedirect(request, reply, view, frameIdOf(body));

  const step = parameter(body, 'step');
  if (step === 'back') {
    // This is a form's answer, and form-action forbids a redirect to the game. So the result page delivers.
    if (view.outcome) return deliverResult(service, reply, { ...context, byPage: true }, view, view.outcome, true);
    return showApproval(service, reply, context, { ...view, formToken });
  }
  const action = `${service.settings.approvalPath ?? ''}/requests/${payment.id}/report`;
  const page: ReportPage = { app: view.app, action, formToken, context };
  const frameAncestors = view.byGuest ? view.app.frameAncestors : [];
  const show = (status: number, markup: Page, sent?: 'sent') => {
    const again = { action, hidden: { page_token: formToken, ...contextParameters(context), step: sent } };
    return sendPage(reply.code(status), markup, { frameAncestors, opener: true, again });
  };
  if (step === 'sent') return show(200, reportedPage(words, page), step);
  if (step !== 'send') return show(200, reportPage(words, page, {}));
  const { reason, text, errors } = readReport(words, body);
  if (errors || !reason) return show(400, reportPage(words, page, { reason, text, errors: errors ?? {} }));
  const report = { request: payment, reason, text, address: clientAddress(request) };
  const refusal = await catchRefusal(() => reportProblem(service, report), 'too-many-tries');
  return refusal
    ? show(refusal.status, reportPage(words, page, { reason, text, notice: refusalText(words, refusal) }))
    : show(200, reportedPage(words, page), 'sent');
}

/** What was filled in, cleaned for storage. `errors`: something is missing or too long. */
function readReport(words: Words, body: FastifyRequest['body']) {
  const given = parameter(body, 'reason');
  const reason = REASONS.find((one) => one === given);
  const text = (parameter(body, 'text') ?? '')
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    // The database refuses NUL, and nobody types the other control characters.
    .replace(/[^\P{Cc}\n]/gu, ' ')
    .trim();
  const tooLong = [...text].length > MAX_REPORT_CHARACTERS;
  const errors = {
    reason: reason ? undefined : words.report.noReason,
    text: tooLong ? words.fields.atMost(MAX_REPORT_CHARACTERS) : undefined,
  };
  return { reason, text, errors: errors.reason || errors.text ? errors : undefined };
}

type ReportPage = {
  readonly app: App;
  /** Where the forms are sent. */
  readonly action: string;
  /** The form token of the payment's page. */
  readonly formToken: string;
  readonly context: ApprovalContext;
};

/** What the player has filled in, and what is wrong with it. */
type ReportDraft = {
  readonly reason?: Reason | undefined;
  readonly text?: string | undefined;
  readonly errors?: { readonly reason?: string | undefined; readonly text?: string | undefined };
  readonly notice?: string;
};

/** Asks the player what is wrong with the payment. */
function reportPage(words: Words, page: ReportPage, { reason, text, errors = {}, notice }: ReportDraft): Page {
  const texts = words.report;
  return layout(
    page.context,
    texts.title,
    html`<main>
${branding(words, page.app)}
<h1>${texts.question}</h1>
<p>${texts.lead}</p>
${notice && html`<p class="notice bad" role="alert">${notice}</p>`}
<form method="post" action="${page.action}">
${contextFields(page.context, page.formToken)}
<fieldset${errors.reason && html` aria-describedby="reason-error"`}>
<legend>${texts.legend}</legend>
${REASONS.map(
  (name) =>
    html`<label class="choice"><input type="radio" name="reason" value="${name}" required${name === reason && html` checked`}>${texts.reasons[name]}</label>`,
)}
${errors.reason && fieldError('reason', errors.reason)}
</fieldset>
${area({
  name: 'text',
  label: texts.details,
  rows: 4,
  value: text,
  hint: texts.detailsHint(MAX_REPORT_CHARACTERS),
  error: errors.text,
})}
<button class="primary" name="step" value="send">${texts.submit}</button>
</form>
${backForm(words, page)}
</main>`,
  );
}

/** Thanks the player and leads back. */
function reportedPage(words: Words, page: ReportPage): Page {
  const texts = words.report;
  return layout(
    page.context,
    texts.thanks,
    html`<main>${pageHead(words, texts.thanks, { sign: 'check' })}
<p>${texts.sent}</p>
${backForm(words, page)}
</main>`,
  );
}

function backForm({ report: texts }: Words, page: ReportPage): Markup {
  return html`<form method="post" action="${page.action}">
${contextFields(page.context, page.formToken)}
<button class="secondary" name="step" value="back">${texts.back}</button>
</form>`;
}
