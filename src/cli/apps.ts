import { open } from 'node:fs/promises';
import type { Command } from 'commander';
import type { AppId } from '../base/ids.ts';
import { MAX_PICTURE_BYTES } from '../identity/picture-file.ts';
import { createApp } from '../usecases/operator/create-app.ts';
import { findOwner } from '../usecases/operator/find-owner.ts';
import { listApps } from '../usecases/operator/list-apps.ts';
import { showApp } from '../usecases/operator/show-app.ts';
import { updateApp } from '../usecases/operator/update-app.ts';
import { jsonAmount } from './amount.ts';
import { createdText, describeApp, describeKey, listText, shownText } from './app-text.ts';
import { addAutoApprovalCommands } from './apps-auto-approval.ts';
import { addKeysCommands } from './apps-keys.ts';
import { addVerifyCommands } from './apps-verify.ts';
import { collect, example, JSON_OPTION, type OutputOptions, print, withService } from './command.ts';
import type { CliContext } from './context.ts';

type DetailOptions = OutputOptions & {
  readonly name?: string;
  readonly redirectUri?: readonly string[];
  readonly frameAncestor?: readonly string[];
  readonly resultOrigin?: readonly string[];
  readonly owner?: string;
};

/** `picture`: a file's name; false: `--no-picture`. */
type UpdateOptions = DetailOptions & { readonly picture?: string | false };

type CreateOptions = DetailOptions & { readonly name: string; readonly public?: true; readonly autoApprove?: true };

export function addAppsCommands(program: Command, context: CliContext): void {
  const apps = program.command('apps').description('Register games and other apps.');
  addCreate(apps, context);
  addList(apps, context);
  addShow(apps, context);
  addUpdate(apps, context);
  addKeysCommands(apps, context);
  addAutoApprovalCommands(apps, context);
  addVerifyCommands(apps, context);
}

function addCreate(apps: Command, context: CliContext): void {
  withDetails(
    apps
      .command('create')
      .description('Register an app with an account of its own. Its secrets are shown once.')
      .requiredOption('--name <name>', 'what players read, 1 to 80 characters'),
  )
    .option('--public', 'an app that can keep no client secret, such as a mobile game: it must use PKCE')
    .option('--auto-approve', 'players may let the app go on without asking')
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      example(
        "apps create --name 'Space Race' --redirect-uri https://game.example/paid",
        "apps create --name 'Pocket Race' --public --redirect-uri com.example.race://paid --owner dev@game.example",
      ),
    )
    .action(async (options: CreateOptions) => {
      const created = await withService(context, async (service) =>
        createApp(service, {
          ...detailsOf(options),
          name: options.name,
          publicClient: options.public ?? false,
          autoApprove: options.autoApprove ?? false,
          ownerId: options.owner === undefined ? null : await findOwner(service, options.owner),
        }),
      );
      const { clientSecret, serverKey } = created;
      print(context, options, { ...describeApp(created), clientSecret, serverKey }, createdText(created));
    });
}

function addList(apps: Command, context: CliContext): void {
  apps
    .command('list')
    .description('List the apps with their accounts and what they can spend.')
    .option(...JSON_OPTION)
    .addHelpText('after', example('apps list'))
    .action(async (options: OutputOptions) => {
      const listed = await withService(context, listApps);
      const json = listed.map((item) => ({ ...describeApp(item), balance: jsonAmount(item.balance) }));
      print(context, options, { apps: json }, listText(listed));
    });
}

function addShow(apps: Command, context: CliContext): void {
  apps
    .command('show')
    .description('Show what is registered of an app, and its keys.')
    .argument('<app>', "the app's id")
    .option(...JSON_OPTION)
    .addHelpText('after', example('apps show 7Qm2xVb9KcRt4LpWz8Yd'))
    .action(async (id: string, options: OutputOptions) => {
      const shown = await withService(context, (service) => showApp(service, id as AppId));
      const { balance, ownerEmail, keys } = shown;
      const json = { ...describeApp(shown), balance: jsonAmount(balance), ownerEmail, keys: keys.map(describeKey) };
      print(context, options, json, shownText(shown));
    });
}

function addUpdate(apps: Command, context: CliContext): void {
  withDetails(
    apps
      .command('update')
      .description("Change what is registered of an app. Addresses given replace all of that kind; '' removes them.")
      .argument('<app>', "the app's id")
      .option('--name <name>', 'what players read, 1 to 80 characters'),
  )
    .option('--picture <file>', 'a PNG, up to 8 kB and 128 pixels wide and high, shown beside the name')
    .option('--no-picture', 'take the picture away')
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      example(
        "apps update 7Qm2xVb9KcRt4LpWz8Yd --name 'Space Race 2'",
        "apps update 7Qm2xVb9KcRt4LpWz8Yd --frame-ancestor ''",
        'apps update 7Qm2xVb9KcRt4LpWz8Yd --picture icon.png',
      ),
    )
    .action(async (id: string, options: UpdateOptions) => {
      const picture = options.picture === undefined ? {} : { picture: await pictureIn(options.picture) };
      const shown = await withService(context, async (service) => {
        const ownerId = options.owner === undefined ? {} : { ownerId: await findOwner(service, options.owner) };
        await updateApp(service, id as AppId, { ...detailsOf(options), ...ownerId, ...picture });
        return showApp(service, id as AppId);
      });
      print(context, options, describeApp(shown), shownText(shown));
    });
}

/** The options `create` and `update` share. */
function withDetails(command: Command): Command {
  return command
    .option('--redirect-uri <uri>', 'where results may be sent; may be repeated', collect)
    .option('--frame-ancestor <origin>', 'a site that may frame our pages; may be repeated', collect)
    .option('--result-origin <origin>', 'an origin, or app:, capacitor:, file:, results may be posted to', collect)
    .option('--owner <e-mail>', 'the user who may change it on the developer page');
}

/** Only what was given. */
function detailsOf({ name, redirectUri, frameAncestor, resultOrigin }: DetailOptions) {
  return {
    ...(name !== undefined && { name }),
    ...(redirectUri && { redirectUris: given(redirectUri) }),
    ...(frameAncestor && { frameAncestors: given(frameAncestor) }),
    ...(resultOrigin && { resultOrigins: given(resultOrigin) }),
  };
}

const given = (values: readonly string[]) => values.filter((value) => value !== '');

/** A file's bytes, one more than a picture may have at the most; null: there is to be none. */
async function pictureIn(path: string | false): Promise<Uint8Array | null> {
  if (path === false) return null;
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_PICTURE_BYTES + 1));
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
