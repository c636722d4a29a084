import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_BROWSER, startBrowser } from '../kit/browser/browser.ts';
import { assertFitInLooks } from '../kit/browser/fit.ts';
import { notInTurn } from '../kit/run/turns.ts';
import { createPerson } from '../kit/service/people.ts';
import { sharedService } from '../kit/service/shared-service.ts';

test('the front page and the tour lead to pages that exist, and pass axe', {
  skip: NO_BROWSER || notInTurn(2, 'home'),
}, async (t) => {
  const service = await sharedService(t);
  const { origin } = service;
  const { cookie } = await createPerson(service);
  const visits: [path: string, cookie: string, sees: string][] = [
    ['/', '', 'href="/sign-up"'],
    ['/', cookie, 'Go to your account'],
    ['/tour', '', `curl -sS -X POST ${origin}/v1/new-guest`],
  ];
  const browser = await startBrowser(t);
  for (const [path, as, sees] of visits) {
    const context = await browser.newContext({ extraHTTPHeaders: { cookie: as } });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    await page.goto(origin + path);
    const content = await page.content();
    assert.ok(content.includes(sees), `${path} ${sees}`);
    for (const [, link] of content.matchAll(/href="(\/[^"]*)"/g)) {
      const { status } = await fetch(origin + link, { headers: { accept: 'text/html' } });
      assert.equal(status, 200, `${path} → ${link}`);
    }
    await assertFitInLooks(page);
    assert.deepEqual(complaints, []);
    await context.close();
  }
});
