import assert from 'node:assert/strict';
import { hiddenField, sendForm } from '../kit/service/forms.ts';
import { codeIn, mailAtOnce, mailsTo } from '../kit/service/mailbox.ts';
import type { TestService } from '../kit/service/service.ts';
import { somewhere } from '../kit/service/with-password.ts';
import { until } from '../kit/unit/until.ts';

/** Goes from `/sign-up` or `/forgot` to the last form; returns its sealed field. `mailbox`: where the code comes. */
export async function prove(service: TestService, path: string, email: string, mailbox = email): Promise<string> {
  const before = (await codesTo(service, mailbox)).length;
  const { body } = await sendForm(service, path, { email }, somewhere());
  await mailAtOnce(service, mailbox);
  // Mails of other kinds may be there already while the mail loop still sends the code.
  await until(`a code to ${mailbox}`, async () => (await codesTo(service, mailbox)).length > before);
  const code = (await codesTo(service, mailbox)).at(-1)!;
  const step = await sendForm(service, `${path}/code`, { flow: hiddenField(body, 'flow'), code }, somewhere());
  assert.equal(step.statusCode, 200);
  return hiddenField(step.body, 'flow');
}

/** All codes so far, oldest first. */
async function codesTo(service: TestService, mailbox: string): Promise<string[]> {
  return (await mailsTo(service, mailbox)).map(codeIn).filter((code) => code !== '');
}
