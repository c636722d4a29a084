import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { toChecksum } from '../../base/address.ts';
import { mayWithdraw } from '../../features/withdrawals/addresses.ts';
import { isOperator } from '../../identity/operators.ts';
import { listPasskeys } from '../../identity/passkeys.ts';
import { available } from '../../ledger/accounts.ts';
import { listSessionsOf } from '../../oauth/sessions.ts';
import { consolePath, OPERATORS_CONSOLE } from '../../service/console-path.ts';
import { loadAll } from '../../service/house.ts';
import type { Service } from '../../service/service.ts';
import { listAccess } from '../../views/accounts/list-access.ts';
import { readWallet, type Wallet } from '../../views/accounts/read-account.ts';
import { readActivity } from '../../views/accounts/read-activity.ts';
import { bigAmount } from '../../web/big-amount.ts';
import { type IconName, icon } from '../../web/icons.ts';
import type { Markup } from '../../web/layout.ts';
import { shownEmail } from '../../web/shown-email.ts';
import { signedIn, type Visitor } from '../../web/visitor.ts';
import type { Words } from '../../words/words.ts';
import { ACCOUNT_DATA, type MenuEntry } from '../additions.ts';
import { addressLink, card, frozenNotice, noticeOf, sendInAccount } from './account-frame.ts';
import { activityList, onTheirWay } from './activity-list.ts';
import { WITHDRAW_PATH } from './withdraw.ts';

const SHOWN = 5;
/** How many of each the user has, what wings have of their data, and whether the operators’ console is theirs. */
type Counts = {
  readonly games: number;
  readonly passkeys: number;
  readonly sessions: number;
  readonly data: readonly (MenuEntry | null)[];
  readonly operates: boolean;
  readonly withdraws: boolean;
};

/** GET /account: the balance, recent activity, and menus that say what each page holds now. */
export function overviewRoute(pages: FastifyInstance, service: Service): void {
  pages.get(
    '/account',
    signedIn(service, async (request, reply, visitor) => {
      const { words } = request;
      const says = words.account;
      const { db, settings } = service;
      const { user } = visitor;
      const lookUps = await loadAll(service.house, ACCOUNT_DATA);
      const hasConsole = consolePath(service.house, OPERATORS_CONSOLE) !== null;
      const [wallet, { activities }, games, passkeys, sessions, data, operates] = await Promise.all([
        readWallet(service, user),
        readActivity(service, user, SHOWN),
        listAccess(service, user),
        listPasskeys(db, user.id),
        listSessionsOf(db, user.id, settings.sessionIdleMinutes),
        Promise.all(lookUps.map((lookUp) => lookUp(service, words))),
        hasConsole && isOperator(db, user.id),
      ]);
      const counts = {
        ...{ games: games.length, passkeys: passkeys.length, sessions: sessions.length, data, operates },
        withdraws: mayWithdraw(service),
      };
      const main = html`<main class="account">
<h1 class="visually-hidden">${says.title}</h1>
${wallet.account.frozenAt && frozenNotice(reply)}
${noticeOf(request)}
${balance(words, wallet)}
${card(
  html`${activityList(words, settings, activities)}
<p><a href="/account/activity">${words.account.allActivity}</a></p>`,
  says.recentActivity,
)}
${menus(words, visitor, counts, addressCard(words, service, wallet))}
</main>`;
      return sendInAccount(reply, says.title, main, { live: onTheirWay(activities).length > 0, times: true });
    }),
  );
}

function balance(words: Words, { account, reward }: Wallet): Markup {
  const says = words.account;
  const spendable = available(account);
  const held = html`<span id="set-aside" data-live="${words.quarters(0n)}">${words.quarters(account.held)}</span>`;
  return card(html`<p class="hint">${says.balance}</p>
<p class="hero" id="spendable" data-live>${bigAmount(words, spendable)}</p>
${account.held > 0n && html`<p class="hint">${says.reserved(held)}</p>`}
${reward > 0n && html`<p class="hint">${says.reward(words.quarters(reward))}</p>`}`);
}

function menus(
  words: Words,
  { user }: Visitor,
  { games, passkeys, sessions, data, operates, withdraws }: Counts,
  address: Markup,
): Markup {
  const says = words.account;
  return html`<div class="menus">
${menu(says.profile, [
  entry('/account/apps', 'games', says.connectedGames, says.gameCount(games)),
  entry('/account/name', 'person', says.displayName, html`<bdi>${user.displayName}</bdi>`),
  entry('/account/email', 'mail', says.email, shownEmail(user.email)),
  withdraws && entry(WITHDRAW_PATH, 'exchange', says.withdrawals.title, says.withdrawals.entry),
])}
${menu(says.security, [
  entry('/account/password', 'lock', says.password, says.changePassword),
  entry('/account/passkeys', 'fingerprint', says.passkeys, says.passkeyCount(passkeys)),
  entry('/account/sessions', 'screen', says.sessions, says.sessionCount(sessions)),
])}
${operates && menu(says.operation, [entry('/operator', 'chart', says.console, says.consoleHint)])}
${menu(says.data, [
  ...data.map((found) => found && entry(found.path, found.sign, found.label, found.now)),
  entry('/account/export.csv', 'download', says.exportActivity, says.exportFormat),
  entry('/account/export-profile.csv', 'download', says.exportProfile, says.exportFormat),
  entry('/account/close', 'leave', says.closeAccount, says.closeAccountNow),
])}
${address}
</div>`;
}

function menu(heading: string, entries: readonly (Markup | null | false)[]): Markup {
  return card(html`<ul class="menu">${entries}</ul>`, heading);
}

function entry(href: string, drawing: IconName, label: string, now: Markup | string): Markup {
  return html`<li><a href="${href}">${icon(drawing)}<span>${label}<small>${now}</small></span>${icon('chevron')}</a></li>`;
}

function addressCard({ account: says }: Words, { settings }: Service, { account }: Wallet): Markup {
  const explorer = addressLink(settings.explorerUrl, account.address);
  return card(
    html`<p><code class="copy">${toChecksum(account.address)}</code></p>
${explorer && html`<p><a href="${explorer}" rel="noreferrer">${says.viewOnExplorer}</a></p>`}`,
    says.address,
  );
}
