import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../base/problems.ts';
import { approvalView } from '../../features/approvals/open-approval.ts';
import { requestByFormToken } from '../../features/approvals/page-access.ts';
import { reportProblem } from '../../features/reports/reports.ts';
import { MAX_REPORT_CHARACTERS, REASONS, type Reason } from '../../requests/reports.ts';
import type { Service } from '../../settlement/service.ts';
import { clientAddress } from '../../web/client-address.ts';
import { frameIdOf } from '../../web/delivery.ts';
import { pageHeaders } from '../../web/headers.ts';
import type { Markup } from '../../web/layout.ts';
import { isForeignForm, parameter } from '../../web/request-parameters.ts';
import { sendMessage, sendPage } from '../../web/send.ts';
import { FOREIGN_DECISION, readVisit } from './approval-context.ts';
import { ask, requestIdOf, sessionOf } from './approval-routes.ts';
import { type ReportDraft, type ReportPage, reportedPage, reportPage } from './report-page.ts';
import { deliverResult, refuseRedirect } from './result.ts';

/**
 * POST /requests/{id}/report: `step` says whether the form is asked for, sent or left. Every step is a form with the page's form
 * token, because an address would show a guest's token to everyone who sees it.
 */
export function reportRoutes(server: FastifyInstance, service: Service): void {
  const path = `${service.settings.approvalPath ?? ''}/requests/:id/report`;
  server.get(path, { config: { isUnlisted: true } }, async () => {
    throw new Problem('not-found', 'Only forms are sent here.');
  });

  server.post(path, async (request, reply) => {
    if (isForeignForm(request.headers, service.publicUrl)) {
      service.security.note('foreign-form');
      return sendMessage(request, reply, FOREIGN_DECISION, []);
    }
    const { body } = request;
    const formToken = parameter(body, 'page_token') ?? '';
    const session = await sessionOf(service, request);
    const opened = await requestByFormToken(service, requestIdOf(request), formToken, session);
    const { request: payment } = opened;
    const view = await approvalView(service, opened);
    const visit = readVisit(request, body, view.app);
    if (!visit) return refuseRedirect(request, reply, view, frameIdOf(body));

    const step = parameter(body, 'step');
    if (step === 'back') {
      // This is a form's answer, and form-action forbids a redirect to the game. So the result page delivers.
      if (view.outcome) return deliverResult(service, reply, { ...visit, byPage: true }, view, view.outcome, true);
      return ask(service, reply, visit, { ...view, formToken });
    }
    const action = `${service.settings.approvalPath ?? ''}/requests/${payment.id}/report`;
    const page: ReportPage = { app: view.app, action, formToken, visit };
    const send = (markup: Markup) => {
      const frameAncestors = view.byGuest ? view.app.frameAncestors : [];
      return sendPage(reply.headers(pageHeaders({ frameAncestors, opener: true })), markup);
    };
    if (step !== 'send') return send(reportPage(page, {}));
    const { reason, text, errors } = readReport(body);
    if (errors || !reason) return refuse(reply, 400, { reason, text, errors: errors ?? {} });
    try {
      await reportProblem(service, { request: payment, reason, text, address: clientAddress(request) });
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'too-many-tries') throw error;
      return refuse(reply, error.status, { reason, text, notice: error.message });
    }
    return send(reportedPage(page));

    function refuse(to: FastifyReply, status: number, draft: ReportDraft) {
      to.code(status);
      return send(reportPage(page, draft));
    }
  });
}

/** What was filled in, cleaned for storage. `errors`: something is missing or too long. */
function readReport(body: FastifyRequest['body']) {
  const given = parameter(body, 'reason');
  const reason = given !== undefined && Object.hasOwn(REASONS, given) ? (given as Reason) : undefined;
  const text = (parameter(body, 'text') ?? '')
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    // The database refuses NUL, and nobody types the other control characters.
    .replace(/[^\P{Cc}\n]/gu, ' ')
    .trim();
  const tooLong = [...text].length > MAX_REPORT_CHARACTERS;
  const errors = {
    reason: reason ? undefined : 'Choose one of these.',
    text: tooLong ? `Use at most ${MAX_REPORT_CHARACTERS} characters.` : undefined,
  };
  return { reason, text, errors: errors.reason || errors.text ? errors : undefined };
}
