import { findApps } from '../../identity/apps.ts';
import { readMailQueue } from '../../mail/mail.ts';
import { isAboutRecipient, type RefusedMails, readRefusedMails } from '../../mail/refusals.ts';
import type { Service } from '../../service/service.ts';
import { listFailingEndpoints } from '../../webhooks/webhook-endpoints.ts';
import { type Finding, good, type HealthFact } from '../findings/finding.ts';
import { ageOf } from '../findings/spoken-age.ts';

const MOST_ENDPOINTS = 20;
const MOST_MAILS = 10_000;
/** A mail is tried again after a minute. */
const LATE_MAIL_MS = 5 * 60_000;

/** Which webhook endpoints do not take their deliveries. */
export async function checkWebhooks({ db }: Pick<Service, 'db'>): Promise<Finding> {
  const found = await listFailingEndpoints(db, MOST_ENDPOINTS + 1);
  if (found.length === 0) return good('Every webhook endpoint takes its deliveries.');
  const apps = await findApps(
    db,
    found.map(({ appId }) => appId),
  );
  const facts = found.slice(0, MOST_ENDPOINTS).map(({ appId, url, failingSince, disabledAt }): HealthFact => {
    const since = ageOf(Date.now() - failingSince!.getTime());
    // A path or a query may hold a secret of the app.
    const host = new URL(url).host;
    return {
      name: 'App',
      value: `at ${host} has failed for ${since}${disabledAt ? ', and was disabled' : ''}`,
      about: { kind: 'app', id: appId, label: apps.get(appId)?.name ?? appId },
    };
  });
  const count = found.length > MOST_ENDPOINTS ? `More than ${MOST_ENDPOINTS}` : `${found.length}`;
  return {
    state: 'warning',
    says: `${count} webhook ${found.length === 1 ? 'endpoint does' : 'endpoints do'} not take deliveries.`,
    facts,
    remedy: {
      says: 'The app’s owner and admins get a mail when it is disabled. Tell them earlier if it matters.',
      docs: 'docs/operate/runbook.md#quarterswebhooksfailing',
    },
  };
}

/** Whether mails leave in time: without them nobody signs up or gets a new password. */
export async function checkMails({ db, settings }: Service): Promise<Finding> {
  const [{ waiting, failing, oldest }, refused] = await Promise.all([
    readMailQueue(db, MOST_MAILS),
    readRefusedMails(db),
  ]);
  const age = oldest ? Date.now() - oldest.getTime() : 0;
  const more = waiting === MOST_MAILS ? ' or more' : '';
  const facts = [
    { name: 'Waiting', value: `${waiting}${more}` },
    ...(failing > 0 ? [{ name: 'Failed at least once', value: `${failing}${more}` }] : []),
    ...(oldest ? [{ name: 'Oldest', value: `${ageOf(age)} old` }] : []),
    ...(settings.smtpUrl ? [] : [{ name: 'Mail server', value: 'none: mails go to the data folder' }]),
  ];
  if (refused) return ofRefusedMails(refused, facts);
  if (age < LATE_MAIL_MS) return good('Mails are sent in time.', facts);
  return {
    state: age < LATE_MAIL_MS * 6 ? 'warning' : 'bad',
    says: `A mail has waited for ${ageOf(age)}. Players may not get their codes.`,
    facts,
    remedy: {
      says: 'See what the log says about mails, and whether the server at SMTP_URL takes them.',
      docs: 'docs/operate/network.md#mail',
    },
  };
}

/** The next mail that is accepted ends this. Until then nobody knows whether any will be. */
function ofRefusedMails({ count, since, reply }: RefusedMails, facts: readonly HealthFact[]): Finding {
  const which = count === 1 ? 'the last mail' : `the last ${count} mails`;
  const before = { name: 'Refused since', value: `${ageOf(Date.now() - since.getTime())} ago` };
  return {
    state: isAboutRecipient(reply) ? 'warning' : 'bad',
    says: `The mail server has refused ${which} for good: ${reply}`,
    facts: [before, ...facts],
    remedy: {
      says: 'Correct what the server names: SMTP_URL, MAIL_FROM, MAIL_HELO, or one recipient’s address. The next mail that it accepts ends this. Doctor tries without sending one.',
      command: 'quarters doctor',
      docs: 'docs/operate/network.md#mail',
    },
  };
}
