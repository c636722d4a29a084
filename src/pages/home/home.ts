import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { DEVELOPERS_CONSOLE } from '../../service/console-path.ts';
import type { Service } from '../../service/service.ts';
import { DOCUMENTS } from '../../web/header-links.ts';
import { coin, type IconName, icon } from '../../web/icons.ts';
import { layout, type Markup, type Page } from '../../web/layout.ts';
import { sendPage } from '../../web/send-page.ts';
import { readVisitor } from '../../web/visitor.ts';
import type { Words } from '../../words/words.ts';

/** GET / says what this is, and leads players and developers to their pages. */
export function homeRoute(pages: FastifyInstance, service: Service): void {
  pages.get('/', async (request, reply) => {
    const visitor = await readVisitor(service, request);
    return sendPage(reply, homePage(request.words, service, visitor !== null));
  });
}

function homePage(words: Words, { settings, house }: Service, signedIn: boolean): Page {
  const { home } = words;
  return layout(
    { inline: false, nav: signedIn, wide: true },
    home.heading,
    html`<main class="home">
<section class="welcome">
${coin()}
<div>
<h1>${home.heading}</h1>
<p>${home.lead(settings.brandName)}</p>
<p class="ways">${
      signedIn
        ? html`<a class="primary" href="/account">${words.messages.account}</a>`
        : html`<a class="primary" href="/sign-up">${words.signUp.title}</a><a class="secondary" href="/sign-in">${words.signIn.submit}</a>`
    }</p>
</div>
</section>
<section class="card">
<h2>${home.payment.heading}</h2>
<ol class="steps">
${step('games', home.payment.asks)}
${step('check', home.payment.approve)}
${step('person', home.payment.account)}
</ol>
</section>
<section class="card">
<h2>${home.developers.heading}</h2>
<ul class="menu">
${house.of(DEVELOPERS_CONSOLE).map((path) => entry('games', path, home.developers.register))}
${entry('flag', '/tour', home.developers.tour)}
${house.of(DOCUMENTS).map((path) => entry('book', path, home.developers.docs))}
${entry('screen', '/quarters.js', home.developers.script)}
</ul>
</section>
</main>`,
  );
}

type Labelled = { readonly label: string; readonly about: string };

function step(name: IconName, { label, about }: Labelled): Markup {
  return html`<li>${icon(name)}<h3>${label}</h3><p>${about}</p></li>`;
}

function entry(name: IconName, path: string, { label, about }: Labelled): Markup {
  return html`<li><a href="${path}">${icon(name)}<span>${label}<small>${about}</small></span>${icon('chevron')}</a></li>`;
}
