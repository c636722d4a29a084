import { HIT_COLUMNS } from '../views/inspection/found-columns.ts';
import type { Hit } from '../views/inspection/search.ts';
import { addActionCommands } from './action-commands.ts';
import { type CliCommand, type CliContext, type OutputOptions, print, withService } from './command.ts';
import { CommandEnd } from './exit-codes.ts';
import { formatTable } from './format.ts';

export function addUsersCommands(program: CliCommand, context: CliContext): void {
  const users = program.command('users').description('Find players, and show what is known of one.');
  addActionCommands(users, context);
  addFind(users, context);
  addShow(users, context);
}

function addFind(users: CliCommand, context: CliContext): void {
  users
    .command('find')
    .description('Find a player by e-mail address, id, account address, or the beginning of a name. Finds apps too.')
    .argument('<text>', 'what to look for; a name needs two characters')
    .json()
    .examples('users find ada@example.com', 'users find Ada')
    .action(async (text: string, options: OutputOptions) => {
      const { findPlayers } = await import('../views/inspection/find-players.ts');
      const { hits, lookedFor, isPart } = await withService(context, (service) => findPlayers(service, text));
      const json = hits.map(({ what, name, target }) => ({ what, name, id: target.id }));
      const more = isPart ? 'There are more. Type more of the name.\n' : '';
      const none = `There is no ${lookedFor}.\n`;
      print(context, options, { found: json, isPart }, hits.length === 0 ? none : `${hitsText(hits)}${more}`);
      if (hits.length === 0) throw new CommandEnd('notFound', 'Nothing was found.');
    });
}

function hitsText(hits: readonly Hit[]): string {
  return formatTable([HIT_COLUMNS.kind, HIT_COLUMNS.name, { label: 'Id', value: ({ target }) => target.id }], hits);
}

function addShow(users: CliCommand, context: CliContext): void {
  users
    .command('show')
    .description('Show a player: account, games with access, ways to sign in, rewards and newest payments.')
    .argument('<user>', 'the user id')
    .json()
    .examples('users show b7Kq2LxT9mVwR4sN8cYzE1hJ5uPa')
    .action(async (id: string, options: OutputOptions) => {
      const { inspectUser } = await import('../views/inspection/inspect-user.ts');
      const { userJson, userText } = await import('./user-text.ts');
      const inspected = await withService(context, (service) => inspectUser(service, id));
      print(context, options, userJson(inspected), userText(inspected));
    });
}
