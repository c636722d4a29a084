import type { FastifyInstance, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { offerPasskeyUse } from '../../features/credentials/passkey-use.ts';
import { addressUse, addWithdrawalAddress, mayWithdraw } from '../../features/withdrawals/addresses.ts';
import { clientAddress } from '../../http/rate-limits.ts';
import { minutesToStop } from '../../identity/minutes-to-stop.ts';
import { confirmsFrom, listPasskeys } from '../../identity/passkeys.ts';
import type { Service } from '../../service/service.ts';
import { PASSKEY_SCRIPT } from '../../web/assets.ts';
import { field, hidden } from '../../web/fields.ts';
import { answerOf, refuseEntry } from '../../web/json-scope.ts';
import type { Markup } from '../../web/layout.ts';
import { catchInvalidInput } from '../../web/page-scope.ts';
import { parameter } from '../../web/request-parameters.ts';
import { signedIn, type Visitor } from '../../web/visitor.ts';
import { hoursOrMinutes, type Words } from '../../words/words.ts';
import { card, moment, sendAccountPage, unlessFrozen } from './account-frame.ts';
import { ADDRESSES_PATH, needsPasskey, shortWait, WITHDRAW_PATH } from './withdraw.ts';

/** What a passkey has to sign. */
const OPTIONS_PATH = `${ADDRESSES_PATH}/options`;

/** GET asks for a new address. */
export function addressRoutes(pages: FastifyInstance, service: Service): void {
  if (!mayWithdraw(service)) return;
  pages.get(
    ADDRESSES_PATH,
    signedIn(
      service,
      unlessFrozen(service, 'withdrawals', async (request, reply, visitor) => {
        const { words } = request;
        const says = words.account.withdrawals;
        const found = await listPasskeys(service.db, visitor.user.id);
        const minutes = minutesToStop(service);
        const [first] = found.map((one) => confirmsFrom(one, minutes)).sort((a, b) => a.getTime() - b.getTime());
        if (!first) return sendAccountPage(reply, says.add, card(needsPasskey(words)));
        const isYoung = first > new Date();
        const content = html`${isYoung ? html`<p>${says.youngPasskey(moment(words, first))}</p>` : addForm(words, visitor, minutes)}
${shortWait(words, minutes)}`;
        const scripts = isYoung ? [] : [PASSKEY_SCRIPT.path];
        return sendAccountPage(reply, says.add, card(content), { passkeys: !isYoung, times: isYoung, scripts });
      }),
    ),
  );
}

/** The same form with the passkey's answer, from the page's script. JSON in, JSON out. */
export function addressByPasskeyRoutes(server: FastifyInstance, service: Service): void {
  if (!mayWithdraw(service)) return;
  const typedIn = ({ body }: FastifyRequest) => parameter(body, 'address') ?? '';
  server.post(
    OPTIONS_PATH,
    signedIn(service, (request, _reply, { session }) =>
      offerPasskeyUse(service, addressUse(session, typedIn(request)), clientAddress(request)),
    ),
  );
  server.post(
    ADDRESSES_PATH,
    signedIn(service, async (request, reply, { user, session }) => {
      const added = { typed: typedIn(request), answer: answerOf(request) };
      const refusal = await catchInvalidInput(() => addWithdrawalAddress(service, user, session, added));
      return refusal ? refuseEntry(reply, refusal) : { go: `${WITHDRAW_PATH}?changed=withdrawalAddress` };
    }),
  );
}

function addForm(words: Words, { csrf }: Visitor, minutes: number): Markup {
  const says = words.account.withdrawals;
  return html`<p>${says.wait(hoursOrMinutes(words, minutes))}</p>
<p class="hint" data-without-passkeys>${words.account.passkeyList.unsupported}</p>
<form id="passkey" data-passkey="use" data-options="${OPTIONS_PATH}" data-answer="${ADDRESSES_PATH}" hidden>
${hidden('csrf', csrf)}${hidden('page', ADDRESSES_PATH)}
${field({ name: 'address', label: says.address, autocomplete: 'off', maxlength: 100, hint: says.addressHint })}
<button class="primary">${says.confirm}</button>
<p class="error" role="alert" hidden></p>
</form>`;
}
