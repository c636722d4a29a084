import type { AppId, UserId } from '../../../base/ids.ts';
import type { Quarters } from '../../../base/quarters.ts';
import { usualConsent } from '../../../identity/app-auto-approval.ts';
import { countGuestsMade, readAppPage } from '../../../identity/app-directory.ts';
import { type AppMember, listMembers } from '../../../identity/app-members.ts';
import type { App, AutoApproveConsent } from '../../../identity/apps.ts';
import { findUser } from '../../../identity/users.ts';
import { type Account, findAccounts, guestHoldings } from '../../../ledger/accounts.ts';
import { countOpenReportsOn } from '../../../requests/reports.ts';
import { type CallHour, callCountsOf, type ErrorHour } from '../../../service/call-counts.ts';
import { OPERATOR } from '../../../service/managers.ts';
import type { Service } from '../../../service/service.ts';
import { type ShownApp, showApp } from '../../../views/apps/show-app.ts';
import { type ShownEndpoint, showWebhooks } from '../../../views/webhooks/show-webhooks.ts';

/** `account`: null only if the app's registration was interrupted. */
export type AppInList = { readonly app: App; readonly account: Account | null };

/** `next`: the app after which the next page begins; null at the end. */
export type AppPage = { readonly apps: readonly AppInList[]; readonly next: AppId | null };

/** The calls of the API in the last day. `refused`: with a status of 4xx; `failed`: 5xx. */
export type CallsOfDay = {
  readonly calls: number;
  readonly refused: number;
  readonly failed: number;
  /** By how often, at most five. */
  readonly errors: readonly { readonly code: string; readonly count: number }[];
};

/** All that is known of an app. E-mail addresses are on the pages of the people. */
export type InspectedApp = {
  readonly shown: ShownApp;
  readonly account: Account;
  /** Null if the operator registered it. */
  readonly owner: { readonly id: UserId; readonly displayName: string } | null;
  readonly members: readonly Pick<AppMember, 'userId' | 'displayName' | 'role' | 'addedAt'>[];
  /** Guests it has made, those included who became full users. */
  readonly guestsMade: number;
  /** What its guests have, if it was asked for: that reads all of them. */
  readonly guests: { readonly guests: number; readonly quarters: Quarters } | null;
  readonly endpoints: readonly ShownEndpoint[];
  /** Null if nothing counts them. */
  readonly calls: CallsOfDay | null;
  readonly openReports: number;
  /** How players agree to a spending limit, if the operator does not say otherwise. */
  readonly consent: AutoApproveConsent;
};

const PER_PAGE = 50;
const DAY_MS = 86_400_000;
const MOST_ERRORS = 5;

/** All apps, deleted ones too, newest first. */
export async function listAllApps({ reads }: Pick<Service, 'reads'>, before: AppId | null): Promise<AppPage> {
  const found = await readAppPage(reads, before, PER_PAGE + 1);
  const apps = found.slice(0, PER_PAGE);
  const accounts = await findAccounts(reads, { apps: apps.map(({ id }) => id) });
  const accountOf = new Map(accounts.map((account) => [account.appId, account]));
  return {
    apps: apps.map((app) => ({ app, account: accountOf.get(app.id) ?? null })),
    next: found.length > PER_PAGE ? apps.at(-1)!.id : null,
  };
}

/**
 * An app for an operator, also a deleted one. `id` may be unchecked input. `countGuests`: adds up what its guests have, which takes a second
 * for a hundred thousand of them.
 */
export async function inspectApp(
  service: Pick<Service, 'db' | 'reads' | 'house' | 'settings'>,
  id: string,
  { countGuests = false } = {},
): Promise<InspectedApp> {
  const { reads } = service;
  const shown = await showApp(service, OPERATOR, id);
  const { app } = shown;
  const callCounts = await callCountsOf(service.house);
  const dayAgo = new Date(Date.now() - DAY_MS);
  const [[account], owner, members, guestsMade, guests, webhooks, hours, errors, openReports] = await Promise.all([
    findAccounts(reads, { apps: [app.id] }),
    app.ownerId && findUser(reads, app.ownerId),
    listMembers(reads, app.id),
    countGuestsMade(reads, app.id),
    countGuests ? guestHoldings(reads, app.id) : null,
    showWebhooks(service, OPERATOR, app.id),
    callCounts?.readCallHours(reads, app.id, dayAgo) ?? [],
    callCounts?.readErrorHours(reads, app.id, dayAgo) ?? [],
    countOpenReportsOn(reads, app.id),
  ]);
  return {
    ...{ shown, guestsMade, guests, openReports },
    consent: usualConsent(app, service.settings.defaultConsent),
    account: account!,
    owner: owner ? { id: owner.id, displayName: owner.displayName } : null,
    members: members.map(({ userId, displayName, role, addedAt }) => ({ userId, displayName, role, addedAt })),
    endpoints: webhooks.endpoints,
    calls: callCounts && callsOf(hours, errors),
  };
}

function callsOf(hours: readonly CallHour[], errors: readonly ErrorHour[]): CallsOfDay {
  const sum = (field: 'calls' | 'refused' | 'failed') => hours.reduce((total, hour) => total + hour[field], 0);
  const byCode = Map.groupBy(errors, ({ code }) => code);
  const counts = [...byCode].map(([code, some]) => ({
    code,
    count: some.reduce((total, { count }) => total + count, 0),
  }));
  return {
    calls: sum('calls'),
    refused: sum('refused'),
    failed: sum('failed'),
    errors: counts.sort((a, b) => b.count - a.count).slice(0, MOST_ERRORS),
  };
}
