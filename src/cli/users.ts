import { namesAddress } from '../base/pasted-address.ts';
import { HIT_COLUMNS } from '../views/inspection/found-columns.ts';
import { addActionCommands } from './action-commands.ts';
import type { CliCommand } from './command.ts';
import { CommandEnd } from './exit-codes.ts';
import { formatTable } from './format.ts';
import { listed, shown } from './reading.ts';
import { parseUser } from './values.ts';

export function addUsersCommands(program: CliCommand): void {
  const users = program.command('users').description('Find players, and show what is known of one.');
  addActionCommands(users);
  users
    .command('find')
    .description(
      'Find players by id, account address, or a part of the name or e-mail address, guests by name, and apps.',
    )
    .argument('<text>', 'what to look for; a part of a name needs two characters')
    .examples('users find ada@example.com', 'users find lovelace', 'users find "Guest K7QX"')
    .prints(async (service, text: string) => {
      const { findPlayers } = await import('../views/inspection/find-players.ts');
      const { hits, lookedFor, isPart } = await findPlayers(service, text);
      const json = hits.map(({ what, name, target }) => ({ what, name, id: target.id }));
      const columns = [
        ...Object.values(HIT_COLUMNS),
        { label: 'Id', value: ({ target }: (typeof hits)[number]) => target.id },
      ];
      const found = listed({ found: json, isPart }, columns, hits, { none: `There is no ${lookedFor}.` });
      if (hits.length === 0) return { ...found, end: new CommandEnd('notFound', 'Nothing was found.') };
      return isPart ? { ...found, hint: 'There are more. Type more of the name.\n' } : found;
    });
  users
    .command('show')
    .description('Show a player: account, games with access, ways to sign in, rewards and newest payments.')
    .argument('<user>', "a user id or the address of the user's account", parseUser)
    .examples('users show b7Kq2LxT9mVwR4sN8cYzE1hJ5uPa')
    .prints(async (service, text: string) => {
      const { findNamedUser } = await import('../features/rewards/rewards.ts');
      const id = namesAddress(text) ? (await findNamedUser(service, text)).id : text;
      const { inspectUser } = await import('../views/inspection/inspect-user.ts');
      const { MOVED_COLUMNS, USER_FACTS } = await import('../views/inspection/user-facts.ts');
      const inspected = await inspectUser(service, id);
      const { activities } = inspected.activity;
      return shown(USER_FACTS, inspected, activities.length > 0 ? formatTable(MOVED_COLUMNS, activities) : '');
    });
}
