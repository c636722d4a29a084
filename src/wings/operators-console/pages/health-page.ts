import { html } from 'hono/html';
import { en } from '../../../../words/en.ts';
import type { HealthCheck, HealthFact, HealthState, Remedy } from '../../../diagnostics/findings/finding.ts';
import type { CheckReport } from '../../../diagnostics/findings/run-checks.ts';
import { readHealth } from '../../../diagnostics/health/read-health.ts';
import { badge, consoleTime, sendConsolePage } from '../../../pages/consoles/console.ts';
import { pathTo } from '../../../pages/consoles/entity-parts.ts';
import { type OperatorRoutes, operatorPage } from '../../../pages/consoles/operator-frame.ts';
import type { Service } from '../../../service/service.ts';
import { copyable, copyBlock } from '../../../web/copyable.ts';
import { gameText } from '../../../web/game-text.ts';
import type { Markup, Page } from '../../../web/layout.ts';
import type { Visitor } from '../../../web/visitor.ts';
import { actionsOn } from './actions/forms.ts';

const HEALTH_PATH = '/operator/health';

/** GET /operator/health: the state of every part, and how to fix each fault. */
export function healthRoute(operators: OperatorRoutes, service: Service): void {
  operators.get(HEALTH_PATH, async (_request, reply, visitor) =>
    sendConsolePage(reply, healthPage(visitor, await readHealth(service), new Date())),
  );
}

const LOOKS: Readonly<Record<HealthState, readonly [word: string, kind: 'good' | 'bad' | 'wait']>> = {
  good: ['OK', 'good'],
  warning: ['Look at it', 'wait'],
  bad: ['Fault', 'bad'],
  unknown: ['Unknown', 'wait'],
};

const SUMMARIES: Readonly<Record<HealthState, string>> = {
  good: 'Everything is in order.',
  warning: 'Something needs a look today.',
  bad: 'Something needs you now.',
  unknown: 'Something could not be read.',
};

/** The state of every part. The worst comes first. What is in order takes one line. */
function healthPage(visitor: Visitor, { state, checks }: CheckReport, at: Date): Page {
  const open = checks.filter((check) => check.state !== 'good');
  const quiet = checks.filter((check) => check.state === 'good');
  const content = html`<p role="status">${badge(...LOOKS[state])} ${SUMMARIES[state]} <span class="hint">As of ${consoleTime(at)}.</span></p>
${open.sort((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state)).map((check) => fault(visitor, check))}
${
  quiet.length > 0 &&
  html`<section class="card"><h2>In order</h2>
<dl class="facts">${quiet.map(inOrder)}</dl>
</section>`
}`;
  const action = html`<a class="secondary" href="${HEALTH_PATH}">Look again</a>`;
  return operatorPage(visitor, 'health', { title: 'Health', content, action });
}

const ORDER: readonly HealthState[] = ['bad', 'unknown', 'warning'];

function fault(visitor: Visitor, { part, state, says, facts, remedy }: HealthCheck): Markup {
  return html`<section class="card"><h2>${part} ${badge(...LOOKS[state])}</h2>
<p>${says}</p>
${remedy && remedyOf(remedy)}
${factList(facts)}
${remedy?.confirms && actionsOn(visitor, HEALTH_PATH, { on: 'copy', shown: { id: remedy.confirms }, name: remedy.confirms })}
</section>`;
}

function remedyOf({ says, command, addresses = [], docs }: Remedy): Markup {
  return html`<p><strong>${says}</strong></p>
${addresses.map((address) => html`<p>${copyable(en, address, 'address')}</p>`)}
${command && copyBlock(en, `npx ${command}`, 'command')}
<p class="hint">Read <code>${docs}</code></p>`;
}

/** One line, with what was seen in small print. */
function inOrder({ part, says, facts }: HealthCheck): Markup {
  const seen = facts.map((fact, i) => html`${i > 0 && ' · '}${fact.name} ${factValue(fact)}`);
  return html`<div><dt>${part}</dt><dd>${says}${seen.length > 0 && html` <span class="line hint">${seen}</span>`}</dd></div>`;
}

function factList(facts: readonly HealthFact[]): Markup | false {
  if (facts.length === 0) return false;
  return html`<dl class="facts">${facts.map((fact) => html`<div><dt>${fact.name}</dt><dd>${factValue(fact)}</dd></div>`)}</dl>`;
}

/** What has a page of its own is linked. The label may be an app's name. */
function factValue({ value, about }: HealthFact): Markup {
  return html`${about && html`<a href="${pathTo(about.kind, about.id)}"><bdi>${gameText(about.label, 66) ?? about.id}</bdi></a> `}${value}`;
}
