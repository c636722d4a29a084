import type { TestContext } from 'node:test';
import type { Browser, CDPSession, Page } from 'playwright-core';
import type { Person } from '../service/people.ts';
import type { TestService } from '../service/service.ts';
import { atEnd } from '../unit/at-end.ts';
import { profileOf } from './game-site.ts';

export type Device = { readonly page: Page; readonly cdp: CDPSession; readonly authenticatorId: string };

/** A browser profile with an authenticator that its owner always unlocks, signed in where a person is given. */
export async function newDevice(
  t: TestContext,
  service: TestService,
  browser: Browser,
  person?: Person,
): Promise<Device> {
  const context = await profileOf(browser, service, person ?? null);
  atEnd(t, () => context.close());
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { page, cdp, authenticatorId };
}

export async function addPasskey({ origin }: TestService, { page }: Device, name: string): Promise<void> {
  await page.goto(`${origin}/account/passkeys`);
  await page.getByLabel('Name').fill(name);
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.locator('li').filter({ hasText: name }).waitFor();
}

export const usePasskey = (page: Page) => page.getByRole('button', { name: 'Use a passkey' }).click();
