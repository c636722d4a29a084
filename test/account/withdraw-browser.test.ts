import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator } from 'playwright-core';
import { toChecksum } from '../../src/base/address.ts';
import { findAccounts } from '../../src/ledger/accounts.ts';
import { NO_BROWSER, startBrowser } from '../kit/browser/browser.ts';
import { assertFitInLooks } from '../kit/browser/fit.ts';
import { addPasskey, newDevice } from '../kit/browser/passkey-device.ts';
import { createPerson } from '../kit/service/people.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { codeIn, mailTo } from '../kit/service/visits.ts';
import { makeFinal, outsideAddress } from '../kit/service/withdrawer.ts';
import { agePasskeys } from '../rows/passkeys.ts';
import { readyAddresses } from '../rows/withdrawals.ts';

test('a player adds an address and withdraws to it, each time with the passkey', { skip: NO_BROWSER }, async (t) => {
  const s = await sharedService(t, { env: { WITHDRAWALS: 'on', FINAL_AFTER: '1' } });
  const { service, origin } = s;
  const browser = await startBrowser(t);
  const person = await createPerson(s);
  await s.issue(person.userId, 120);
  await makeFinal(s);
  const device = await newDevice(t, s, browser, person);
  const { page } = device;
  const to = outsideAddress();

  await page.goto(`${origin}/account/withdraw`);
  await assertFitInLooks(page, 'without a passkey');
  await page.goto(`${origin}/account/passkeys`);
  await assertFitInLooks(page, 'a passkey needs a code');
  await page.getByRole('button', { name: 'Send me a code' }).click();
  const code = codeIn(await mailTo(s, person.email, 'is your code to add a passkey'));
  await page.getByLabel('Code').fill(code);
  await assertFitInLooks(page, 'the code');
  await page.getByRole('button', { name: 'Continue' }).click();
  await addPasskey(s, device, 'Phone');
  await page.goto(`${origin}/account/withdraw/addresses`);
  await page.getByText('Your passkey is new').waitFor();
  await assertFitInLooks(page, 'a new passkey');
  await agePasskeys(service.db, person.userId);
  await page.goto(`${origin}/account`);
  await page.getByRole('link', { name: 'Withdraw quarters' }).click();
  await page.getByRole('link', { name: 'Add an address' }).click();
  await assertFitInLooks(page, 'a new address');
  await page.getByLabel('Ethereum address').fill(to);
  await page.getByRole('button', { name: 'Confirm with a passkey' }).click();
  await isSaidAt(page.getByLabel('Ethereum address'), /^Enter a full Ethereum address/);
  await page.getByLabel('Ethereum address').fill(toChecksum(to));
  await page.getByRole('button', { name: 'Confirm with a passkey' }).click();
  await page.getByText('The address was added.').waitFor();
  // The mail about it may have gone by then.
  await page.getByText(/Ready (from|24 hours after our e-mail)/).waitFor();

  await readyAddresses(service.db, person.userId);
  await page.goto(`${origin}/account/withdraw`);
  await page.getByLabel('Amount').fill('121');
  await page.getByRole('button', { name: 'Withdraw with a passkey' }).click();
  await isSaidAt(page.getByLabel('Amount'), /^You can withdraw at most 120 quarters now\./);
  await assertFitInLooks(page, 'refused');
  await page.getByLabel('Amount').fill('45');
  await page.getByRole('button', { name: 'Withdraw with a passkey' }).click();
  await page.getByText('Your withdrawal is on its way.').waitFor();
  await s.settled();
  await page.reload();
  await page
    .getByText(/^Sent /)
    .first()
    .waitFor();
  await assertFitInLooks(page, 'after a withdrawal');
  const [account] = await findAccounts(service.db, { addresses: [to] });
  assert.equal(account!.posted, 45n);
  await page.getByRole('button', { name: `Remove ${toChecksum(to)}` }).click();
  await page.getByText('You haven’t added an address yet.').waitFor();
});

/** What is wrong stands in the field's place, is read with it, and the field has the focus. */
async function isSaidAt(input: Locator, what: RegExp): Promise<void> {
  const place = input.page().locator('.field', { has: input });
  await place.locator('.error').filter({ hasText: what }).waitFor();
  assert.match(await input.evaluate((field) => field.ariaDescribedByElements?.[0]?.textContent ?? ''), what);
  assert.equal(await input.getAttribute('aria-invalid'), 'true');
  assert.equal(await input.evaluate((field) => field === field.ownerDocument.activeElement), true);
}
