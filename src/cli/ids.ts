import type { CliCommand } from './command.ts';

export function addIdsCommands(program: CliCommand): void {
  program
    .command('ids')
    .description('Find ids in logs.')
    .command('hash')
    .description('Print how logs write an id that a refused call has named: the field `about`.')
    .argument('<id>', 'an id or address, as a caller has sent it')
    .examples('ids hash b7KqTn2LwXr9VfYc3HsJmZ4uPdEa')
    .prints(async (service, id: string) => {
      const { hashesOfId } = await import('../http/named-ids.ts');
      const hashes = hashesOfId(service, id);
      return { json: { hashes }, text: `${hashes.join('\n')}\n` };
    });
}
