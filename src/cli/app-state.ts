import type { Command } from 'commander';
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
import { type ActOptions, REASON_OPTION } from './reason.ts';

/** `apps verify`, `unverify`, `suspend`, `resume` and `delete`. */
export function addStateCommands(apps: Command, context: CliContext): void {
  addVerify(apps, context);
  addUnverify(apps, context);
  addSuspend(apps, context);
  addResume(apps, context);
  addDelete(apps, context);
}

function addVerify(apps: Command, context: CliContext): void {
  apps
    .command('verify')
    .description(
      'Mark an app as verified and protect its name. The mark is lost if its developer changes the name or picture.',
    )
    .argument(...APP_ARGUMENT)
    .option(...REASON_OPTION)
    .option(...YES_OPTION)
    .option(...JSON_OPTION)
    .addHelpText('after', example('apps verify 7Qm2xVb9KcRt4LpWz8Yd'))
    .action(async (id: string, options: ActOptions) => {
      const { act } = await import('./perform.ts');
      const { OPERATOR } = await import('../service/managers.ts');
      const { showApp } = await import('../views/apps/show-app.ts');
      const { appsAlike } = await import('../features/apps/update-app.ts');
      const { app, alike } = await withService(context, async (service) => {
        const question = 'Mark this app as verified?';
        await act(context, options, service, { kind: 'verify-app', params: { app: id }, question });
        const { app } = await showApp(service, OPERATOR, id);
        return { app, alike: await appsAlike(service, app) };
      });
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
    .option(...REASON_OPTION)
    .option(...YES_OPTION)
    .option(...JSON_OPTION)
    .addHelpText('after', example('apps unverify 7Qm2xVb9KcRt4LpWz8Yd'))
    .action(async (id: string, options: ActOptions) => {
      const { act } = await import('./perform.ts');
      const question = 'Remove the verified mark?';
      const { action } = await withService(context, (service) =>
        act(context, options, service, { kind: 'unverify-app', params: { app: id }, question }),
      );
      const name = `${action.result?.name}`;
      print(context, options, { id, name, verifiedAt: null }, formatFacts([['No longer verified', name]]));
    });
}

function addSuspend(apps: Command, context: CliContext): void {
  apps
    .command('suspend')
    .description('Stop an app: its keys and tokens do nothing, and nothing is paid to it or by it. Its quarters stay.')
    .argument(...APP_ARGUMENT)
    .requiredOption(...REASON_OPTION)
    .option(...YES_OPTION)
    .option(...JSON_OPTION)
    .addHelpText('after', example("apps suspend 7Qm2xVb9KcRt4LpWz8Yd --reason 'Stolen server key'"))
    .action(async (id: string, options: ActOptions) => {
      const { act } = await import('./perform.ts');
      const asked = { kind: 'suspend-app', params: { app: id }, question: 'Suspend this app?', mustConfirm: true };
      await withService(context, (service) => act(context, options, service, asked));
      print(context, options, { id, suspended: true }, `Suspended ${id}. Nothing is paid to it or by it any more.\n`);
    });
}

function addResume(apps: Command, context: CliContext): void {
  apps
    .command('resume')
    .description('Let a suspended app work again.')
    .argument(...APP_ARGUMENT)
    .requiredOption(...REASON_OPTION)
    .option(...YES_OPTION)
    .option(...JSON_OPTION)
    .addHelpText('after', example("apps resume 7Qm2xVb9KcRt4LpWz8Yd --reason 'The key was replaced'"))
    .action(async (id: string, options: ActOptions) => {
      const { act } = await import('./perform.ts');
      const asked = { kind: 'resume-app', params: { app: id }, question: 'Resume this app?', mustConfirm: true };
      await withService(context, (service) => act(context, options, service, asked));
      print(context, options, { id, suspended: false }, `Resumed ${id}.\n`);
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
      const { OPERATOR } = await import('../service/managers.ts');
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
