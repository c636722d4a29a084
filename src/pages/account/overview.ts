import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { toChecksum } from '../../base/address.ts';
import { asQuarters } from '../../base/quarters.ts';
import { readWallet, type Wallet } from '../../features/accounts/read-account.ts';
import { type Activity, readActivity } from '../../features/accounts/read-activity.ts';
import { available } from '../../ledger/accounts.ts';
import type { Service } from '../../settlement/service.ts';
import { PROGRESS_SCRIPT } from '../../web/assets.ts';
import { layout, type Markup } from '../../web/layout.ts';
import { sendPage } from '../../web/send-page.ts';
import { signedIn, type Visitor } from '../../web/visitor.ts';
import { addressLink, noticeOf, quarters } from './account-frame.ts';
import { activityList, onTheirWay } from './activity.ts';

const SHOWN = 5;
const NOTHING = asQuarters(0n);

/** GET /account: the user's name, addresses and balances, with links to all other account pages. */
export function overviewRoute(pages: FastifyInstance, service: Service): void {
  pages.get(
    '/account',
    signedIn(service, async (request, reply, visitor) => {
      const [wallet, { activities }] = await Promise.all([
        readWallet(service, visitor.user),
        readActivity(service, visitor.user, SHOWN),
      ]);
      const main = overview(service, visitor, wallet, activities, noticeOf(request));
      const live = onTheirWay(activities).length > 0;
      return sendPage(
        reply,
        layout({ inline: false, nav: true }, 'Your account', main, live ? PROGRESS_SCRIPT.path : undefined),
        { live },
      );
    }),
  );
}

function overview(
  { settings }: Service,
  { user }: Visitor,
  { account, reward }: Wallet,
  activities: readonly Activity[],
  notice: Markup | null,
): Markup {
  const explorer = addressLink(settings.explorerUrl, account.address);
  return html`<main>
<h1>Your account</h1>
${notice}
<dl>
<div><dt>Balance</dt><dd><strong id="spendable" data-live>${quarters(available(account))}</strong></dd></div>
${account.held > 0n && html`<div><dt>Reserved for payments in progress</dt><dd id="set-aside" data-live="${quarters(NOTHING)}">${quarters(account.held)}</dd></div>`}
${reward > 0n && html`<div><dt>Reward, applied automatically to your next payment</dt><dd>${quarters(reward)}</dd></div>`}
<div><dt>Display name</dt><dd><bdi>${user.displayName}</bdi></dd></div>
<div><dt>E-mail address</dt><dd>${user.email}</dd></div>
<div class="tall"><dt>Ethereum address</dt><dd><code class="copy">${toChecksum(account.address)}</code>${
    explorer && html`<br><a href="${explorer}" rel="noreferrer">View on the block explorer</a>`
  }</dd></div>
</dl>
<h2>Recent activity</h2>
${activityList(settings, activities)}
<p><a href="/account/activity">All activity</a></p>
${links()}
</main>`;
}

const links = () => html`<h2>Games</h2>
<ul class="links">
<li><a href="/account/apps">Connected games and spending limits</a></li>
</ul>
<h2>Profile and security</h2>
<ul class="links">
<li><a href="/account/name">Change your display name</a></li>
<li><a href="/account/email">Change your e-mail address</a></li>
<li><a href="/account/password">Change your password</a></li>
<li><a href="/account/passkeys">Passkeys</a></li>
<li><a href="/account/sessions">Where you’re signed in</a></li>
</ul>
<h2>Your data</h2>
<ul class="links">
<li><a href="/account/export.csv">Download all activity (CSV)</a></li>
<li><a href="/account/export-profile.csv">Download your profile (CSV)</a></li>
<li><a href="/account/close">Close your account</a></li>
</ul>`;
