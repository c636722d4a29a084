import { type Address, parseAddress, toChecksum } from '../../base/address.ts';
import { typedCount } from '../../base/digits.ts';
import { isTimed, madeAt, type TransferId, uuidFrom } from '../../base/ids.ts';
import { Problem, refusedEntry } from '../../base/problems.ts';
import { asQuarters, MAX_QUARTERS, type Quarters } from '../../base/quarters.ts';
import { type IdempotencyKey, lastingKey } from '../../idempotency/keys.ts';
import { usePasskey } from '../../identity/passkeys.ts';
import type { User } from '../../identity/users.ts';
import { lookUpAccountOfUser } from '../../ledger/accounts.ts';
import { readCursor } from '../../ledger/blocks.ts';
import type { Session } from '../../oauth/sessions.ts';
import type { Accepted } from '../../service/instruction.ts';
import { idOfKey } from '../../service/keyed-ids.ts';
import type { Service } from '../../service/service.ts';
import { earlierAnswer } from '../../settlement/accept/idempotent-answers.ts';
import { knownFinalBlock } from '../../settlement/finality.ts';
import { refuseWhileSuspended } from '../../settlement/may-act.ts';
import { countAttempt } from '../attempts/throttle.ts';
import { checkPasskeyAnswer, useIn } from '../credentials/passkey-use.ts';
import type { WriteMail } from '../mails/mail-layout.ts';
import { type Mail, sealMail } from '../mails/mails.ts';
import { requireWithdrawals, unproved } from './addresses.ts';

/** A form is used for so long. Its answer is kept for longer, and its key never pays anything else. */
const FORM_MS = 60 * 60_000;
/** The clocks of two processes may differ by so much. */
const AHEAD_MS = 5 * 60_000;
/** Each costs the operator gas, mails the owner, and lets others' payments wait while it is looked for what came in lately. */
const MOST_TRIES_OF_DAY = 50;

/** As sent. `form`: the page's own id of the form, a new one each time it is shown. `answer`: that of the passkey which confirms it. */
export type WithdrawalForm = {
  readonly form: string;
  readonly address: string;
  readonly amount: string;
  readonly answer: object;
};

/** What a passkey signs that confirms a withdrawal. */
export function withdrawalUse(session: Session, { form, address, amount }: Omit<WithdrawalForm, 'answer'>) {
  return useIn(session, 'withdrawal', form, address, amount);
}

/**
 * Sends quarters of a person to an address of theirs, and tells them by mail. A form that is sent twice pays once.
 *
 * Throws `invalid-input`, whose fault points at `/address`, `/amount` or `/proof`.
 */
export async function withdraw(
  service: Service,
  user: User,
  session: Session,
  sent: WithdrawalForm,
): Promise<Accepted> {
  const { form, address, amount } = sent;
  const { db, security } = service;
  requireWithdrawals(service);
  const to = parseAddress(address);
  if (!to) throw refusedEntry(['/address', { code: 'address-not-ready' }]);
  const quarters = amountFrom(amount);
  const idempotency = keyOfForm(user, form, `${to} ${quarters}`);
  const account = await lookUpAccountOfUser(db, user.id);
  const cursor = await readCursor(db);
  if (!account || !cursor) throw refusedEntry(['/amount', { code: 'withdrawal-above-free', number: 0 }]);
  try {
    const earlier = await earlierAnswer(db, idempotency);
    if (earlier) return earlier;
    // Before the passkey's proof is used up.
    refuseWhileSuspended(service);
    const final = knownFinalBlock(service, cursor.number);
    if (final === null) throw new Problem('chain-unavailable', 'No node has said yet what is final. Try again.');
    await prove(service, session, sent);
    // Afterwards, so that a thief without the passkey does not use up the owner's tries.
    await countAttempt(service, 'withdrawal', [{ key: `user ${user.id}`, most: MOST_TRIES_OF_DAY, minutes: 24 * 60 }]);
    const accepted = await service.accept({
      transferId: idOfKey(service, idempotency, new Date()) as TransferId,
      ...{ from: account.address, to, toKey: null, amount: quarters, idempotency },
      origin: {
        kind: 'withdrawal',
        userId: user.id,
        session: session.uid,
        finalBlock: final,
        writeNotice: () => sealMail(service, sentMail(service, user, to, quarters)),
      },
    });
    if (!accepted.replayed) security.note('quarters-withdrawn', { userId: user.id, what: accepted.transferId });
    return accepted;
  } catch (error) {
    // The form has sent another amount, or to another address.
    if (error instanceof Problem && error.code === 'idempotency-mismatch') throw stale();
    throw error;
  }
}

function sentMail({ publicUrl, settings }: Service, { email, locale }: User, to: Address, amount: Quarters): Mail {
  const write: WriteMail = ({ mails, quarters }) => ({
    subject: mails.withdrawal.subject,
    parts: [
      mails.withdrawal.sent(quarters(amount), settings.brandName),
      { lines: [toChecksum(to)] },
      mails.notYou,
      { link: `${publicUrl}/forgot`, label: mails.setPassword },
    ],
  });
  return { to: email, locale, write };
}

const stale = () => refusedEntry(['/amount', { code: 'withdrawal-stale' }]);

function amountFrom(text: string): Quarters {
  const amount = typedCount(text);
  if (amount === null || amount < 1n || amount > MAX_QUARTERS) {
    throw refusedEntry(['/amount', { code: 'amount-unusable' }]);
  }
  return asQuarters(amount);
}

/** The id tells when the form was made. An old one might be sent when its answer is forgotten, and then wait for ever. */
function keyOfForm({ id }: User, form: string, body: string): IdempotencyKey {
  const formId = uuidFrom(form);
  const age = formId && isTimed(formId) ? Date.now() - madeAt(formId).getTime() : Number.NaN;
  if (!formId || !(age > -AHEAD_MS && age < FORM_MS)) throw stale();
  return lastingKey(['withdrawal', id], formId, body);
}

/** The proof is spent before the payment is accepted: each try needs a new one. */
async function prove(service: Service, session: Session, sent: WithdrawalForm): Promise<void> {
  const proof = await checkPasskeyAnswer(service, sent.answer, withdrawalUse(session, sent));
  if (!proof || !(await service.db.transaction((tx) => usePasskey(tx, proof.id, proof.signCount)))) throw unproved();
}
