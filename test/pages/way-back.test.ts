import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApprovalOutcome, NotAccepted } from '../../src/features/approvals/approve-or-decline.ts';
import { NO_BROWSER, startBrowser } from '../kit/browser/browser.ts';
import { assertFit, PHONE } from '../kit/browser/fit.ts';
import { personPayment } from '../kit/browser/person-payment.ts';
import { type Answer, ask, newPayment, sendForm } from '../kit/service/payment.ts';
import type { TestApp, TestService } from '../kit/service/service.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { suspend } from '../kit/service/stopping.ts';
import { changeRequests, letRequestExpire } from '../rows/requests.ts';

const WEB = 'https://game.example/back';
const NAME = 'Flipside';

/** One more way in which a payment's pages can end does not compile without a way to it here. */
type Ends = Record<ApprovalOutcome['kind'] | NotAccepted['kind'], readonly (() => Promise<Answer>)[]>;

/** Each ends for a full user, whose page is shown at top level. */
function endsOf(service: TestService, app: TestApp, redirectUris: readonly string[]): Ends {
  const { db } = service.service;
  const paymentOf = async () => {
    const { id, person, url } = await personPayment(service, app);
    const headers = { cookie: person.cookie };
    const open = () => ask(service, { url: new URL(url).pathname, headers });
    const decide = async (form: Record<string, string>, sent: Record<string, string> = headers) => {
      const page_token = /name="page_token" value="([^"]+)"/.exec((await open()).body)?.[1] ?? '';
      return sendForm(service, id, { page_token, ...form }, sent);
    };
    return { id, open, decide };
  };
  const decided = (decision: string) => async () => {
    const { open, decide } = await paymentOf();
    await decide({ decision });
    return open();
  };
  const ended = (status: 'cancelled' | 'failed') => async () => {
    const { id, open } = await paymentOf();
    await changeRequests(db, { id }, { status });
    return open();
  };
  return {
    approved: [decided('approve')],
    declined: [decided('decline')],
    failed: [
      ended('cancelled'),
      ended('failed'),
      async () => {
        const { id, open } = await paymentOf();
        await letRequestExpire(db, id);
        return open();
      },
    ],
    'not-enough': [async () => (await newPayment(service, app)).decide({ decision: 'later' })],
    blocked: [
      async () => {
        const game = await service.createApp({ name: NAME, redirectUris });
        const stopped = await newPayment(service, game);
        const page_token = await stopped.formToken();
        await suspend(service.service, game.id);
        return stopped.decide({ decision: 'later', page_token });
      },
    ],
  };
}

/** Pages that refuse, of a payment that they may name the game of. */
function refusalsOf(service: TestService, app: TestApp): readonly (() => Promise<Answer>)[] {
  return [
    async () => (await newPayment(service, app)).open({ redirect_uri: 'https://other.example/' }),
    async () => ask(service, { url: `/requests/${crypto.randomUUID()}?firebase_token=x&client_id=${app.id}` }),
    // The player has signed out since.
    async () => {
      const { id, person, url } = await personPayment(service, app);
      const { body } = await ask(service, { url: new URL(url).pathname, headers: { cookie: person.cookie } });
      const page_token = /name="page_token" value="([^"]+)"/.exec(body)?.[1] ?? '';
      return sendForm(service, id, { page_token, decision: 'approve' });
    },
  ];
}

const titleOf = ({ body }: Answer) => /<h1>([^<]*)/.exec(body)?.[1] ?? body;

test('every end of a payment leads back to the game, by its name', async (t) => {
  const service = await sharedService(t);
  const addressed = await service.createApp({ name: NAME, redirectUris: [WEB] });
  const waiting = await service.createApp({ name: NAME });

  await t.test('where the game has an address, by a button or at once', async () => {
    for (const open of [
      ...Object.values(endsOf(service, addressed, [WEB])).flat(),
      ...refusalsOf(service, addressed),
    ]) {
      const answer = await open();
      if (answer.status === 303) {
        assert.ok(answer.location?.startsWith(`${WEB}?`), `${answer.location}`);
        continue;
      }
      const [, href, label] =
        /<p class="actions leave"><a class="primary" href="([^"]+)">(.*?)<\/a>/.exec(answer.body) ?? [];
      assert.ok(href?.startsWith(`${WEB}?`), `${titleOf(answer)}: ${href}`);
      assert.equal(label, `<span class="to-game">Back to <bdi>“${NAME}”</bdi></span>`);
    }
  });

  await t.test('where the game waits, by its name, and a button that closes the window', async () => {
    for (const open of [...Object.values(endsOf(service, waiting, [])).flat(), ...refusalsOf(service, waiting)]) {
      const answer = await open();
      assert.match(answer.body, /You can go back to <bdi>“Flipside”<\/bdi>\./, titleOf(answer));
      assert.match(answer.body, /data-closes hidden><button class="primary"><span class="to-game">Back to /);
    }
  });

  await t.test('a payment of which nothing may be said names no game', async () => {
    const { id } = await newPayment(service, addressed);
    for (const unknown of [id, crypto.randomUUID()]) {
      const { status, body } = await ask(service, { url: `/requests/${unknown}?firebase_token=x` });
      assert.equal(status, 404);
      assert.ok(!body.includes(NAME) && !body.includes(WEB));
    }
  });

  await t.test('a forged answer leads back without a result', async () => {
    const payment = await newPayment(service, addressed);
    const { status, body } = await payment.decide({ decision: 'approve' }, { 'sec-fetch-site': 'cross-site' });
    assert.equal(status, 403);
    assert.match(body, /You can go back to <bdi>“Flipside”/);
    assert.doesNotMatch(body, /data-result|href="https:\/\/game/);
  });
});

test('on a phone the button stands in the lower half, in one line, whatever the name', {
  skip: NO_BROWSER,
}, async (t) => {
  const service = await sharedService(t);
  const browser = await startBrowser(t);
  const name = 'The Extraordinarily Long Adventures of Captain Quarterdeck';
  const app = await service.createApp({ name, redirectUris: ['com.acme.game://', WEB] });
  const { id, person, url } = await personPayment(service, app);
  await letRequestExpire(service.service.db, id);
  for (const viewport of [PHONE, { width: 360, height: 640 }]) {
    const context = await browser.newContext({ viewport, extraHTTPHeaders: { cookie: person.cookie } });
    const page = await context.newPage();
    await page.route(`${WEB}**`, (route) => route.abort());
    await page.goto(`${url}&redirect_uri=${encodeURIComponent(WEB)}`);
    const box = (await page.locator('.leave a').boundingBox())!;
    assert.ok(box.y > viewport.height / 2, `${box.y}`);
    assert.ok(box.y + box.height <= viewport.height && box.height < 60, JSON.stringify(box));
    await assertFit(page);
    await context.close();
  }
});
