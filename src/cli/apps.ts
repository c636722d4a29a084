import { open } from 'node:fs/promises';
import type { AppId } from '../base/ids.ts';
import { addActionCommands } from './action-commands.ts';
import { changedApp, createdApp, deletionText, listedApps, shownApp } from './app-text.ts';
import { type CliCommand, collect } from './command.ts';
import { type ConfirmOptions, confirm, YES_OPTION } from './confirm.ts';
import { formatFacts } from './format.ts';
import { addKeysCommands } from './keys.ts';
import { parseAppId, parseEmail } from './values.ts';

type DetailOptions = {
  readonly name?: string;
  readonly redirectUri?: readonly string[];
  readonly frameAncestor?: readonly string[];
  readonly resultOrigin?: readonly string[];
  readonly topUpUrl?: string;
  readonly owner?: string;
};

/** `picture` is a file's name, or false for `--no-picture`. */
type UpdateOptions = DetailOptions & { readonly picture?: string | false };

type CreateOptions = DetailOptions & {
  readonly name: string;
  readonly public?: true;
  readonly autoApprove?: true;
  readonly id?: AppId;
};

export function addAppsCommands(program: CliCommand): void {
  const apps = program.command('apps').description('Register and manage games and other apps.');
  addCreate(apps);
  addList(apps);
  addShow(apps);
  addUpdate(apps);
  addKeysCommands(apps);
  const autoApproval = apps.command('auto-approval');
  autoApproval.description('Control whether players may set a spending limit for an app.');
  addActionCommands(autoApproval);
  addActionCommands(apps);
  addDelete(apps);
}

function addCreate(apps: CliCommand): void {
  withDetails(
    apps
      .command('create')
      .description('Register an app and create its account. Its secrets are shown once.')
      .requiredOption('--name <name>', 'name that players see, 1 to 80 characters'),
  )
    .option('--public', 'a public client, such as a mobile game: it has no client secret and must use PKCE')
    .option('--auto-approve', 'let players set a spending limit for the app')
    .option('--id <app>', 'the id of an app that a restored database lacks: it gets its account back', parseAppId)
    .examples(
      "apps create --name 'Space Race' --redirect-uri https://game.example/paid",
      "apps create --name 'Pocket Race' --public --redirect-uri com.example.race://paid --owner dev@game.example",
    )
    .changes(async (service, options: CreateOptions) => {
      const { createApp } = await import('../features/apps/create-app.ts');
      const { findOwner, OPERATOR } = await import('../service/managers.ts');
      const { findDemoOwner } = await import('../features/sessions/sign-in-link.ts');
      const created = await createApp(service, OPERATOR, {
        ...detailsOf(options),
        ...(options.id && { id: options.id }),
        name: options.name,
        publicClient: options.public ?? false,
        autoApprove: options.autoApprove ?? false,
        // In development mode the app is then in the console that the start screen leads to.
        ownerId: await (options.owner === undefined ? findDemoOwner(service) : findOwner(service, options.owner)),
      });
      const after = async () => {
        const { untilTestQuartersArrive } = await import('../features/apps/test-quarters.ts');
        if (!created.testQuarters || (await untilTestQuartersArrive(service, created.app.id))) return;
        apps.context.err.write(
          `The test quarters cannot be spent yet: the chain makes no blocks, or payments are not accepted. npx quarters health says why.\n`,
        );
      };
      return { ...createdApp(created), after };
    });
}

function addList(apps: CliCommand): void {
  apps
    .command('list')
    .description('List apps with their accounts and available balances.')
    .examples('apps list')
    .prints(async (service) => {
      const { OPERATOR } = await import('../service/managers.ts');
      const { listApps } = await import('../views/apps/show-app.ts');
      return listedApps(await listApps(service, OPERATOR));
    });
}

function addShow(apps: CliCommand): void {
  apps
    .command('show')
    .description("Show an app's settings and keys.")
    .app()
    .examples('apps show 7Qm2xVb9KcRt4LpWz8Yd')
    .prints(async (service, id: string) => {
      const { OPERATOR } = await import('../service/managers.ts');
      const { showApp } = await import('../views/apps/show-app.ts');
      return shownApp(await showApp(service, OPERATOR, id));
    });
}

function addUpdate(apps: CliCommand): void {
  withDetails(
    apps
      .command('update')
      .description("Change an app's settings. Addresses you give replace all of that kind; '' removes them.")
      .app()
      .option('--name <name>', 'name that players see, 1 to 80 characters'),
  )
    .option('--picture <file>', 'a PNG or WebP of up to 8 kB and 256 × 256 pixels, shown next to the name')
    .option('--no-picture', 'remove the picture')
    .examples(
      "apps update 7Qm2xVb9KcRt4LpWz8Yd --name 'Space Race 2'",
      "apps update 7Qm2xVb9KcRt4LpWz8Yd --frame-ancestor ''",
      'apps update 7Qm2xVb9KcRt4LpWz8Yd --picture icon.webp',
    )
    .changes(async (service, id: string, options: UpdateOptions) => {
      const { findOwner, OPERATOR } = await import('../service/managers.ts');
      const { showApp } = await import('../views/apps/show-app.ts');
      const { updateApp } = await import('../features/apps/update-app.ts');
      const picture = options.picture === undefined ? {} : { picture: await pictureIn(options.picture) };
      const ownerId = options.owner === undefined ? {} : { ownerId: await findOwner(service, options.owner) };
      await updateApp(service, OPERATOR, id, { ...detailsOf(options), ...ownerId, ...picture });
      return changedApp(await showApp(service, OPERATOR, id));
    });
}

function addDelete(apps: CliCommand): void {
  apps
    .command('delete')
    .description(
      'Delete an app for good: its keys, tokens and webhooks end, and open requests are cancelled. Its quarters stay.',
    )
    .app()
    .option(...YES_OPTION)
    .examples('apps delete 7Qm2xVb9KcRt4LpWz8Yd', 'apps delete 7Qm2xVb9KcRt4LpWz8Yd --yes')
    .changes(async (service, id: string, options: ConfirmOptions) => {
      const { deleteApp, prepareAppDeletion } = await import('../features/apps/delete-app.ts');
      const { OPERATOR } = await import('../service/managers.ts');
      const deletion = await prepareAppDeletion(service, OPERATOR, id);
      await confirm(apps.context, options, { what: deletionText(deletion), question: 'Delete this app for good?' });
      await deleteApp(service, OPERATOR, id);
      const { app, balance, guests, guestQuarters } = deletion;
      return {
        json: { id, name: app.name, deleted: true, balance, guests, guestQuarters },
        text: formatFacts([['Deleted', app.name]]),
      };
    });
}

/** Adds the options that `create` and `update` share. */
function withDetails(command: CliCommand): CliCommand {
  return command
    .option('--redirect-uri <uri>', 'where players may return with the result (repeatable)', collect)
    .option('--frame-ancestor <origin>', 'a site that may embed our pages (repeatable)', collect)
    .option(
      '--result-origin <origin>',
      'an origin, or app:, capacitor: or file:, that may receive results by postMessage (repeatable)',
      collect,
    )
    .option('--top-up-url <url>', 'where players buy quarters; the approval page links to it')
    .option('--owner <e-mail>', 'the user who manages the app on the developer page', parseEmail);
}

/** The app's details as far as options were given for them. */
function detailsOf({ name, redirectUri, frameAncestor, resultOrigin, topUpUrl }: DetailOptions) {
  return {
    ...(name !== undefined && { name }),
    ...(redirectUri && { redirectUris: given(redirectUri) }),
    ...(frameAncestor && { frameAncestors: given(frameAncestor) }),
    ...(resultOrigin && { resultOrigins: given(resultOrigin) }),
    ...(topUpUrl !== undefined && { topUpUrl }),
  };
}

const given = (values: readonly string[]) => values.filter((value) => value !== '');

/**
 * Reads a picture's file; null stands for `--no-picture`. It stops one byte above the limit, which is enough for the
 * feature to refuse a larger file.
 */
async function pictureIn(path: string | false): Promise<Uint8Array | null> {
  if (path === false) return null;
  const { MAX_PICTURE_BYTES } = await import('../identity/app-pictures.ts');
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_PICTURE_BYTES + 1));
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
