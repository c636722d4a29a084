import type { FastifyInstance, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { toChecksum } from '../../base/address.ts';
import { newTransferId } from '../../base/ids.ts';
import { offerPasskeyUse } from '../../features/credentials/passkey-use.ts';
import { mayWithdraw, removeWithdrawalAddress } from '../../features/withdrawals/addresses.ts';
import { type WithdrawalForm, withdraw, withdrawalUse } from '../../features/withdrawals/withdraw.ts';
import { clientAddress } from '../../http/rate-limits.ts';
import { MINUTES_TO_STOP, minutesToStop } from '../../identity/minutes-to-stop.ts';
import { MAX_WITHDRAWAL_ADDRESSES, type WithdrawalAddress } from '../../identity/withdrawal-addresses.ts';
import type { Service } from '../../service/service.ts';
import { isFrozen } from '../../service/stopped.ts';
import { type RecentWithdrawal, readWithdrawals, type Withdrawals } from '../../views/accounts/read-withdrawals.ts';
import { PASSKEY_SCRIPT } from '../../web/assets.ts';
import { bigAmount } from '../../web/big-amount.ts';
import { field, hidden } from '../../web/fields.ts';
import { answerOf, refuseEntry } from '../../web/json-scope.ts';
import type { Markup } from '../../web/layout.ts';
import { catchInvalidInput } from '../../web/page-scope.ts';
import { parameter } from '../../web/request-parameters.ts';
import { signedIn, type Visitor } from '../../web/visitor.ts';
import { hoursOrMinutes, type Words } from '../../words/words.ts';
import { card, form, frozenNotice, moment, noticeOf, sendAccountPage } from './account-frame.ts';

export const WITHDRAW_PATH = '/account/withdraw';
export const ADDRESSES_PATH = `${WITHDRAW_PATH}/addresses`;
/** What a passkey has to sign. */
const OPTIONS_PATH = `${WITHDRAW_PATH}/options`;

/** GET shows what may be withdrawn now, where to, and what was; only where the operator allows withdrawals. */
export function withdrawRoutes(pages: FastifyInstance, service: Service): void {
  if (!mayWithdraw(service)) return;
  pages.get(
    WITHDRAW_PATH,
    signedIn(service, async (request, reply, visitor) => {
      const { words } = request;
      const [found, frozen] = await Promise.all([
        readWithdrawals(service, visitor.user),
        isFrozen(service, visitor.user.id),
      ]);
      const asks = !frozen && found.hasPasskey && found.addresses.some(({ state }) => state === 'ready');
      const cards = html`${noticeOf(request)}${frozen && frozenNotice(reply)}
${card(html`${limits(words, service, found)}${!frozen && nextStep(words, visitor, found, asks)}`)}
${found.recent.length > 0 && card(recentList(words, found.recent), words.account.withdrawals.last)}
${card(addressList(words, visitor, found, { frozen, minutes: minutesToStop(service) }), words.account.withdrawals.addresses)}`;
      const scripts = asks ? [PASSKEY_SCRIPT.path] : [];
      return sendAccountPage(reply, words.account.withdrawals.title, cards, { passkeys: asks, times: true, scripts });
    }),
  );
  pages.post(
    `${ADDRESSES_PATH}/remove`,
    signedIn(service, async (request, reply, { user }) => {
      await removeWithdrawalAddress(service, user, parameter(request.body, 'address') ?? '');
      return reply.redirect(WITHDRAW_PATH, 303);
    }),
  );
}

/** The page's script fetches the challenge, and sends the form with the passkey's answer. JSON in, JSON out. */
export function withdrawByPasskeyRoutes(server: FastifyInstance, service: Service): void {
  if (!mayWithdraw(service)) return;
  server.post(
    OPTIONS_PATH,
    signedIn(service, (request, _reply, { session }) =>
      offerPasskeyUse(service, withdrawalUse(session, amountsOf(request)), clientAddress(request)),
    ),
  );
  server.post(
    WITHDRAW_PATH,
    signedIn(service, async (request, reply, { user, session }) => {
      const refusal = await catchInvalidInput(async () => {
        await withdraw(service, user, session, { ...amountsOf(request), answer: answerOf(request) });
      });
      return refusal ? refuseEntry(reply, refusal) : { go: `${WITHDRAW_PATH}?changed=withdrawal` };
    }),
  );
}

function amountsOf({ body }: FastifyRequest): Omit<WithdrawalForm, 'answer'> {
  const sent = (name: string) => parameter(body, name) ?? '';
  return { form: sent('form'), address: sent('address'), amount: sent('amount') };
}

function limits(words: Words, { settings }: Service, found: Withdrawals): Markup {
  const says = words.account.withdrawals;
  const { now, held, young, leftOfOwn, leftOfAll } = found;
  return html`<p class="hint">${says.now}</p>
<p class="hero">${bigAmount(words, now)}</p>
${held > 0n && html`<p class="hint">${says.held(words.quarters(held))}</p>`}
${young > 0n && html`<p class="hint">${says.young(words.quarters(young))}</p>`}
<p class="hint">${says.dayLimit(words.number(leftOfOwn), words.quarters(settings.withdrawalUserDayLimit))}</p>
${leftOfAll < leftOfOwn && html`<p class="hint">${says.limitOfAll(words.quarters(leftOfAll))}</p>`}
<p>${says.intro}</p>`;
}

/** The form, or what is missing for it. */
function nextStep(words: Words, { csrf }: Visitor, { hasPasskey, addresses }: Withdrawals, asks: boolean): Markup {
  const says = words.account.withdrawals;
  if (!hasPasskey) return needsPasskey(words);
  if (!asks) return html`<p>${says.noneReady}</p>`;
  const ready = addresses.filter(({ state }) => state === 'ready').map(({ address }) => toChecksum(address));
  return html`<p class="hint" data-without-passkeys>${words.account.passkeyList.unsupported}</p>
<form id="passkey" data-passkey="use" data-options="${OPTIONS_PATH}" data-answer="${WITHDRAW_PATH}" hidden>
${hidden('csrf', csrf)}${hidden('page', WITHDRAW_PATH)}${hidden('form', newTransferId())}
<fieldset>
<legend>${says.to}</legend>
${ready.map(
  (address) =>
    html`<label class="choice"><input type="radio" name="address" value="${address}" required${ready.length === 1 && html` checked`}><code class="copy">${address}</code></label>`,
)}
</fieldset>
${field({ name: 'amount', label: says.amount, inputmode: 'numeric', autocomplete: 'off', maxlength: 24 })}
<button class="primary">${says.submit}</button>
<p class="error" role="alert" hidden></p>
</form>`;
}

export function needsPasskey({ account: { withdrawals: says } }: Words): Markup {
  return html`<p>${says.needsPasskey(html`<a href="/account/passkeys">${says.addPasskey}</a>`)}</p>`;
}

/** A developer reads that players wait for longer. */
export function shortWait(words: Words, minutes: number): Markup | false {
  const says = words.account.withdrawals;
  return (
    minutes < MINUTES_TO_STOP &&
    html`<p class="hint">${says.shortWait(hoursOrMinutes(words, minutes), hoursOrMinutes(words, MINUTES_TO_STOP))}</p>`
  );
}

function recentList(words: Words, recent: readonly RecentWithdrawal[]): Markup {
  const { states } = words.account.withdrawals;
  const state = ({ status }: RecentWithdrawal) =>
    status === 'completed' || status === 'failed' ? states[status] : states.onItsWay;
  return html`<ul class="rows">${recent.map(
    (one) => html`<li class="activity"><div>
<div>${words.activity.sentTo(html`<code>${toChecksum(one.to)}</code>`)}</div>
<div class="hint">${state(one)} ${moment(words, one.acceptedAt)}</div>
</div>
<div class="${one.status === 'failed' ? 'asked' : 'moved'}">${words.signed(-one.amount)} <span class="visually-hidden">${words.unit(one.amount)}</span></div></li>`,
  )}</ul>`;
}

function addressList(
  words: Words,
  visitor: Visitor,
  found: Withdrawals,
  { frozen, minutes }: { readonly frozen: boolean; readonly minutes: number },
): Markup {
  const says = words.account.withdrawals;
  const { addresses } = found;
  const isFull = addresses.length >= MAX_WITHDRAWAL_ADDRESSES;
  return html`${
    addresses.length === 0
      ? html`<p>${says.none}</p>`
      : html`<ul class="rows">${addresses.map((one) => addressRow(words, visitor, one, minutes))}</ul>
${addresses.some(({ state }) => state === 'waiting') && shortWait(words, minutes)}
<p class="hint">${says.withPasskey}</p>`
  }
${isFull && html`<p class="hint">${words.reasons['addresses-full'](MAX_WITHDRAWAL_ADDRESSES)}</p>`}
${!isFull && !frozen && found.hasPasskey && html`<p class="actions"><a class="secondary" href="${ADDRESSES_PATH}">${says.add}</a></p>`}`;
}

function addressRow(
  words: Words,
  visitor: Visitor,
  { address, state, usableAt }: WithdrawalAddress,
  minutes: number,
): Markup {
  const says = words.account.withdrawals;
  const text = toChecksum(address);
  const waits = usableAt ? says.readyFrom(moment(words, usableAt)) : says.announcing(hoursOrMinutes(words, minutes));
  return html`<li>
<div><code class="copy">${text}</code>
<p class="hint">${state === 'waiting' ? waits : says[state]}</p></div>
${form(
  visitor,
  `${ADDRESSES_PATH}/remove`,
  WITHDRAW_PATH,
  html`${hidden('address', text)}<button class="small" aria-label="${says.removeNamed(text)}">${says.remove}</button>`,
)}
</li>`;
}
