import { isDay } from '../../base/dates.ts';
import { type RequestId, requestIdFrom, type UserId, userIdFrom } from '../../base/ids.ts';
import { asQuarters, type Quarters } from '../../base/quarters.ts';
import type { RequestSource } from '../../requests/requests.ts';
import { isOnItsWay, REQUEST_STATUSES, type RequestStatus } from '../../requests/states.ts';
import { KINDS } from '../../views/payments/payment-columns.ts';
import { type PaymentFilter, type PaymentTerm, paymentTerm } from '../../views/payments/search-payments.ts';
import { parameter } from '../../web/request-parameters.ts';

export const MAX_TEXT = 100;
const DAY_MS = 86_400_000;

/** Approved, and neither completed nor failed. */
export const ON_ITS_WAY = 'on-its-way';

/** What the address asks for. */
export type PaymentsQuery = {
  readonly text: string | undefined;
  readonly source: RequestSource | undefined;
  readonly status: RequestStatus | typeof ON_ITS_WAY | undefined;
  readonly userId: UserId | undefined;
  readonly amount: Quarters | undefined;
  /** Days in UTC, `2029-11-29`, both included. */
  readonly from: string | undefined;
  readonly to: string | undefined;
};

/** Unknown values count as missing, since an address may be typed. */
export function paymentsQuery(query: unknown): PaymentsQuery {
  const text = (parameter(query, 'q') ?? '').toWellFormed().replace(/\p{Cc}+/gu, ' ');
  const kind = parameter(query, 'kind') ?? '';
  const user = parameter(query, 'user') ?? '';
  return {
    text: text.trim().slice(0, MAX_TEXT) || undefined,
    source: Object.hasOwn(KINDS, kind) ? (kind as RequestSource) : undefined,
    status: [...REQUEST_STATUSES, ON_ITS_WAY].find(
      (status) => status === parameter(query, 'status'),
    ) as PaymentsQuery['status'],
    userId: userIdFrom(user) ?? undefined,
    amount: amountIn(query),
    from: day(parameter(query, 'from')),
    to: day(parameter(query, 'to')),
  };
}

/** A whole number, also with its thousands apart. */
export function amountIn(query: unknown): Quarters | undefined {
  const typed = (parameter(query, 'amount') ?? '').trim();
  const digits = /^\d{1,3}(?:[\s,.'’]\d{3})+$/.test(typed) ? typed.replace(/\D/g, '') : typed;
  return /^[1-9]\d{0,15}$/.test(digits) ? asQuarters(BigInt(digits)) : undefined;
}

function day(text = ''): string | undefined {
  return isDay(text) ? text : undefined;
}

/** The cursor of a page; null for the first one. */
export function cursorIn(query: unknown): RequestId | null {
  const before = parameter(query, 'before') ?? '';
  return requestIdFrom(before);
}

export function termIn({ text }: PaymentsQuery): PaymentTerm | null {
  return text === undefined ? null : paymentTerm(text);
}

export function filterOf(query: PaymentsQuery): PaymentFilter {
  const term = termIn(query);
  return {
    userId: query.userId ?? (term?.kind === 'user' ? term.userId : null),
    statuses: statusesOf(query),
    source: query.source ?? null,
    amount: query.amount ?? null,
    text: term?.kind === 'text' ? term.text : null,
    createdFrom: query.from ? new Date(query.from) : null,
    createdBefore: query.to ? new Date(Date.parse(query.to) + DAY_MS) : null,
  };
}

function statusesOf({ status }: PaymentsQuery): readonly RequestStatus[] | null {
  if (status === ON_ITS_WAY) return REQUEST_STATUSES.filter(isOnItsWay);
  return status ? [status] : null;
}

/** Where a console shows an app's payments. */
export type PaymentPaths = {
  /** The list's address, without a query. `${list}.csv` exports it. */
  readonly list: string;
  /** The address of one payment. */
  one(id: string): string;
  /** The address of the page about one player. */
  player(id: string): string;
};

/** The address of a list that a query narrows. `before`: the cursor of a further page. */
export function paymentsAddress(list: string, query: Partial<PaymentsQuery>, before?: string): string {
  const { text: q, source: kind, status, userId: user, amount, from, to } = query;
  const given = Object.entries({ q, kind, status, user, amount: amount?.toString(), from, to, before }).filter(
    ([, value]) => value !== undefined,
  );
  return given.length > 0 ? `${list}?${new URLSearchParams(given as [string, string][])}` : list;
}
