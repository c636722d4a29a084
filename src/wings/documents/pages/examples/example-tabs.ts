import { html } from 'hono/html';
import { en } from '../../../../../words/en.ts';
import { copyBlock } from '../../../../web/copyable.ts';
import type { Markup } from '../../../../web/layout.ts';
import type { Call } from '../read-document.ts';
import { curlExample } from './curl.ts';
import { javascriptExample } from './javascript.ts';
import { RECEIVE_EVENT } from './sdk-calls.ts';

/**
 * The call in curl and in JavaScript. Radio buttons choose one without scripts; `docs.js` remembers the choice for all of
 * them.
 */
export function callExamples(call: Call, api: string): Markup {
  const { operationId, summary, method } = call;
  if (method === '') return copyBlock(en, RECEIVE_EVENT, `JavaScript: ${summary}`);
  const tab = (language: string, label: string, checked: boolean) =>
    html`<label><input type="radio" name="language-${operationId}" value="${language}"${checked && html` checked`}>${label}</label>`;
  return html`<div class="example">
<fieldset class="tabs"><legend class="visually-hidden">Language of the example: ${summary}</legend>${tab('curl', 'curl', true)}${tab('javascript', 'JavaScript', false)}</fieldset>
<div class="curl">${copyBlock(en, curlExample(call), `curl: ${summary}`)}</div>
<div class="javascript">${copyBlock(en, javascriptExample(call, api), `JavaScript: ${summary}`)}</div>
</div>`;
}
