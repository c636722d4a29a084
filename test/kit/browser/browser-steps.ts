import type { Browser, BrowserContextOptions, Frame, Page } from 'playwright-core';
import { codeIn, mailAtOnce } from '../service/mailbox.ts';
import { PASSWORD } from '../service/people.ts';
import type { TestService } from '../service/service.ts';
import { complaintsOf } from './game-site.ts';

export { PASSWORD };

/** A page in a profile of its own; `complaints` gathers errors of scripts and violations of policies. */
export async function openPage(browser: Browser, options: BrowserContextOptions) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  return { context, page, complaints: complaintsOf(page) };
}

type Look = (place: Page | Frame) => Promise<void>;
const noLook: Look = async () => {};

/** `look` is shown each page; `n`: which mail to the address this will be, from 1. */
export async function typeAddressAndCode(
  service: TestService,
  place: Page | Frame,
  email: string,
  look: Look = noLook,
  n = 1,
) {
  await place.getByLabel('E-mail address').fill(email);
  await place.getByRole('button', { name: 'Send me a code' }).click();
  await place.getByRole('heading', { name: 'Enter your code' }).waitFor();
  await look(place);
  await place.getByLabel('Code').fill(codeIn(await mailAtOnce(service, email, n)));
  await place.getByRole('button', { name: 'Continue' }).click();
}

export async function typeNameAndPassword(place: Page | Frame, look: Look = noLook) {
  await place.getByRole('heading', { name: 'Name and password' }).waitFor();
  await look(place);
  await place.getByLabel('Name').fill('Ada');
  await place.getByLabel('Password').fill(PASSWORD);
}
