import type { CliCommand } from './command.ts';

export function addSignInLinkCommand(program: CliCommand): void {
  program
    .command('sign-in-link')
    .description("Print a link that signs you in as the demo app's developer. In development mode only.")
    .examples('sign-in-link')
    .changes(async (service) => {
      const { newSignInLink } = await import('../features/sessions/sign-in-link.ts');
      const { SIGN_IN_LINK_HOURS } = await import('../identity/sign-in-links.ts');
      const url = await newSignInLink(service);
      return { json: { url }, text: `${url}\n`, hint: `It works once, within ${SIGN_IN_LINK_HOURS} hours.\n` };
    });
}
