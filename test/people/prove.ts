import assert from 'node:assert/strict';
import { codeIn, mailAtOnce, mailsTo } from '../support/mailbox.ts';
import type { TestService } from '../support/service.ts';
import { hiddenField, sendForm } from './forms.ts';
import { somewhere } from './with-password.ts';

/** Goes from `/sign-up` or `/forgot` to the last form; returns its sealed field. `mailbox`: where the code comes. */
export async function prove(service: TestService, path: string, email: string, mailbox = email): Promise<string> {
  const { body } = await sendForm(service, path, { email }, somewhere());
  await mailAtOnce(service, mailbox);
  const code = (await mailsTo(service, mailbox)).map(codeIn).findLast((digits) => digits !== '') ?? '';
  const step = await sendForm(service, `${path}/code`, { flow: hiddenField(body, 'flow'), code }, somewhere());
  assert.equal(step.statusCode, 200);
  return hiddenField(step.body, 'flow');
}
