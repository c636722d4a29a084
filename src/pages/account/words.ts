import { html } from 'hono/html';
import { readableDay } from '../../base/dates.ts';
import { type Quarters, withThousands } from '../../base/quarters.ts';
import type { App } from '../../identity/apps.ts';
import { gameText } from '../../web/game-text.ts';
import { type Markup, unit } from '../../web/layout.ts';

const TIME = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', dateStyle: 'medium', timeStyle: 'short' });

/** `1,234 quarters`. */
export function quarters(amount: Quarters): string {
  return `${withThousands(amount)} ${unit(amount)}`;
}

export function day(date: Date): Markup {
  return html`<time datetime="${date.toISOString().slice(0, 10)}">${readableDay(date)}</time>`;
}

/** To the minute, in UTC: a page without scripts does not know the reader's time zone. */
export function moment(date: Date): Markup {
  return html`<time datetime="${date.toISOString()}">${TIME.format(date)} UTC</time>`;
}

/** An app's name, in quotation marks because the game chose it. */
export function appName(app: Pick<App, 'name'> | undefined): Markup {
  return html`<bdi>“${(app && gameText(app.name, 60)) ?? 'Unnamed game'}”</bdi>`;
}

/** `2 days`, `12 hours`, `90 minutes`: in the largest unit that fits. */
export function duration(minutes: number): string {
  const [count, name] =
    minutes % 1440 === 0 ? [minutes / 1440, 'day'] : minutes % 60 === 0 ? [minutes / 60, 'hour'] : [minutes, 'minute'];
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}
