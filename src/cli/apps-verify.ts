import type { Command } from 'commander';
import type { AppId } from '../base/ids.ts';
import { unverifyApp } from '../usecases/operator/unverify-app.ts';
import { verifyApp } from '../usecases/operator/verify-app.ts';
import { example, JSON_OPTION, type OutputOptions, print, withService } from './command.ts';
import type { CliContext } from './context.ts';
import { formatFacts } from './table.ts';

export function addVerifyCommands(apps: Command, context: CliContext): void {
  apps
    .command('verify')
    .description(
      'Tell players that you know who is behind an app. Its name is protected; a new name or picture by its developer ends it.',
    )
    .argument('<app>', "the app's id")
    .option(...JSON_OPTION)
    .addHelpText('after', example('apps verify 7Qm2xVb9KcRt4LpWz8Yd'))
    .action(async (id: string, options: OutputOptions) => {
      const { app, alike } = await withService(context, (service) => verifyApp(service, id as AppId));
      const others = alike.map((other) => ({ id: other.id, name: other.name, verified: other.verifiedAt !== null }));
      const warning =
        alike.length === 0
          ? ''
          : `Players may take these for it, as their names look alike:\n${formatFacts(alike.map((other) => [other.id, other.name]))}`;
      const json = { id, name: app.name, verifiedAt: app.verifiedAt?.toISOString(), alike: others };
      print(context, options, json, `${formatFacts([['Verified', app.name]])}${warning}`);
    });
  apps
    .command('unverify')
    .description('Take that back.')
    .argument('<app>', "the app's id")
    .option(...JSON_OPTION)
    .addHelpText('after', example('apps unverify 7Qm2xVb9KcRt4LpWz8Yd'))
    .action(async (id: string, options: OutputOptions) => {
      const { name } = await withService(context, (service) => unverifyApp(service, id as AppId));
      print(context, options, { id, name, verifiedAt: null }, formatFacts([['Not verified', name]]));
    });
}
