import { type CliCommand, type CliContext, type OutputOptions, print, withService } from './command.ts';

export function addSignInLinkCommand(program: CliCommand, context: CliContext): void {
  program
    .command('sign-in-link')
    .description("Print a link that signs you in as the demo app's developer. In development mode only.")
    .json()
    .examples('sign-in-link')
    .action(async (options: OutputOptions) => {
      const { newSignInLink } = await import('../features/sessions/sign-in-link.ts');
      const { SIGN_IN_LINK_HOURS } = await import('../identity/sign-in-links.ts');
      const url = await withService(context, newSignInLink);
      print(context, options, { url }, `${url}\n\nIt works once, within ${SIGN_IN_LINK_HOURS} hours.\n`);
    });
}
