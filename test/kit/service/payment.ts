import type { InjectOptions } from 'fastify';
import type { RequestId } from '../../../src/base/ids.ts';
import { hashColumn } from '../../../src/db/columns.ts';
import type { NewGuest } from '../../../src/features/guests/create-guest.ts';
import { createRequest } from '../../../src/features/requests/create-request.ts';
import { asUser } from '../unit/callers.ts';
import type { TestApp, TestService } from './service.ts';

/** A request that a guest is asked to approve, and the calls of its page. */
export type Payment = {
  readonly id: RequestId;
  readonly guest: NewGuest;
  /** The page's path with the guest's token. `more` is added to the query. */
  path(more?: Record<string, string>): string;
  open(more?: Record<string, string>, headers?: Record<string, string>): Promise<Answer>;
  /** The form token of the page. */
  formToken(): Promise<string>;
  /** Sends the form. Without `page_token`, the page is opened first for one. */
  decide(form: Record<string, string>, headers?: Record<string, string>): Promise<Answer>;
};

export type Answer = {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly location: string | undefined;
  readonly body: string;
};

export async function newPayment(
  service: TestService,
  app: TestApp,
  options: { tokens?: number; description?: string; guest?: NewGuest } = {},
): Promise<Payment> {
  const guest = options.guest ?? (await service.createGuest(app));
  const { id } = await createRequest(service.service, asUser(guest.userId, app.id), {
    tokens: options.tokens ?? 10,
    appId: app.id,
    description: options.description ?? 'a sword',
  });
  const path = (more: Record<string, string> = {}) =>
    `/requests/${id}?${new URLSearchParams({ firebase_token: guest.pageToken, ...more })}`;
  const open = (more?: Record<string, string>, headers = {}) => ask(service, { url: path(more), headers });
  const formToken = async () => /name="page_token" value="([^"]+)"/.exec((await open()).body)?.[1] ?? '';
  return {
    id,
    guest,
    path,
    open,
    formToken,
    async decide(form, headers = {}) {
      const fields = 'page_token' in form ? form : { page_token: await formToken(), ...form };
      return sendForm(service, id, fields, headers);
    },
  };
}

export async function fundedPayment(service: TestService, app: TestApp, amount = 100): Promise<Payment> {
  const payment = await newPayment(service, app);
  await service.issue(payment.guest.userId, amount);
  return payment;
}

export function sendForm(
  service: TestService,
  id: string,
  form: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return ask(service, {
    method: 'POST',
    url: `/requests/${id}/decision`,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: new URLSearchParams(form).toString(),
  });
}

export async function ask({ app }: TestService, request: InjectOptions): Promise<Answer> {
  const { statusCode, headers, body } = await app.inject(request);
  return {
    status: statusCode,
    headers: headers as Record<string, string>,
    location: headers.location as string | undefined,
    body,
  };
}

export async function statusOf({ service }: TestService, id: string): Promise<string | undefined> {
  const [row] = await service.db.query<{ status: string }>('SELECT status FROM requests WHERE id = $1', [id]);
  return row?.status;
}

export async function transfersOf({ service }: TestService, id: string): Promise<string[]> {
  const rows = await service.db.query<{ hash: string }>(
    `SELECT ${hashColumn('tx_hash')} AS hash FROM transfers WHERE request_id = $1`,
    [id],
  );
  return rows.map(({ hash }) => hash);
}
