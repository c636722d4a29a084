import type { Command } from 'commander';
import type { AppId } from '../base/ids.ts';
import { deletionText } from './app-text.ts';
import {
  APP_ARGUMENT,
  type CliContext,
  example,
  JSON_OPTION,
  type OutputOptions,
  print,
  withService,
} from './command.ts';
import { type ConfirmOptions, confirm, YES_OPTION } from './confirm.ts';
import { formatFacts, jsonAmount } from './format.ts';

/** `apps verify`, `unverify` and `delete`. */
export function addStateCommands(apps: Command, context: CliContext): void {
  addVerify(apps, context);
  addUnverify(apps, context);
  addDelete(apps, context);
}

function addVerify(apps: Command, context: CliContext): void {
  apps
    .command('verify')
    .description(
      'Mark an app as verified and protect its name. The mark is lost if its developer changes the name or picture.',
    )
    .argument(...APP_ARGUMENT)
    .option(...JSON_OPTION)
    .addHelpText('after', example('apps verify 7Qm2xVb9KcRt4LpWz8Yd'))
    .action(async (id: string, options: OutputOptions) => {
      const { verifyApp } = await import('../features/apps/update-app.ts');
      const { app, alike } = await withService(context, (service) => verifyApp(service, id as AppId));
      const others = alike.map((other) => ({ id: other.id, name: other.name, verified: other.verifiedAt !== null }));
      const warning =
        alike.length === 0
          ? ''
          : `Apps with similar names, which players may confuse with it:\n${formatFacts(alike.map((other) => [other.id, other.name]))}`;
      const json = { id, name: app.name, verifiedAt: app.verifiedAt?.toISOString(), alike: others };
      print(context, options, json, `${formatFacts([['Verified', app.name]])}${warning}`);
    });
}

function addUnverify(apps: Command, context: CliContext): void {
  apps
    .command('unverify')
    .description('Remove the verified mark.')
    .argument(...APP_ARGUMENT)
    .option(...JSON_OPTION)
    .addHelpText('after', example('apps unverify 7Qm2xVb9KcRt4LpWz8Yd'))
    .action(async (id: string, options: OutputOptions) => {
      const { unverifyApp } = await import('../features/apps/update-app.ts');
      const { name } = await withService(context, (service) => unverifyApp(service, id as AppId));
      print(context, options, { id, name, verifiedAt: null }, formatFacts([['No longer verified', name]]));
    });
}

function addDelete(apps: Command, context: CliContext): void {
  apps
    .command('delete')
    .description(
      'Delete an app for good: its keys, tokens and webhooks end, and open requests are cancelled. Its account keeps its quarters and history.',
    )
    .argument(...APP_ARGUMENT)
    .option(...YES_OPTION)
    .option(...JSON_OPTION)
    .addHelpText('after', example('apps delete 7Qm2xVb9KcRt4LpWz8Yd', 'apps delete 7Qm2xVb9KcRt4LpWz8Yd --yes'))
    .action(async (id: string, options: OutputOptions & ConfirmOptions) => {
      const { deleteApp, prepareAppDeletion } = await import('../features/apps/delete-app.ts');
      const { OPERATOR } = await import('../features/apps/managers.ts');
      const { app, balance, guests, guestQuarters } = await withService(context, async (service) => {
        const deletion = await prepareAppDeletion(service, OPERATOR, id);
        await confirm(context, options, { what: deletionText(deletion), question: 'Delete this app for good?' });
        await deleteApp(service, OPERATOR, id);
        return deletion;
      });
      const amounts = { balance: jsonAmount(balance), guests, guestQuarters: jsonAmount(guestQuarters) };
      print(context, options, { id, name: app.name, deleted: true, ...amounts }, formatFacts([['Deleted', app.name]]));
    });
}
