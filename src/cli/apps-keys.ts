import { type Command, InvalidArgumentError, Option } from 'commander';
import type { AppId } from '../base/ids.ts';
import type { Quarters } from '../base/quarters.ts';
import { ALL_KEY_SCOPES, KEY_ID_PATTERN, type KeyKind, type KeyScope, USUAL_KEY_SCOPES } from '../identity/app-keys.ts';
import { issueKey } from '../usecases/operator/issue-key.ts';
import { revokeKey } from '../usecases/operator/revoke-key.ts';
import { showApp } from '../usecases/operator/show-app.ts';
import { parseAmount } from './amount.ts';
import { describeKey, keysText } from './app-text.ts';
import { collect, example, JSON_OPTION, type OutputOptions, print, withService } from './command.ts';
import type { CliContext } from './context.ts';
import { formatFacts } from './table.ts';

type IssueOptions = OutputOptions & {
  readonly kind: KeyKind;
  readonly scope?: readonly KeyScope[];
  readonly payPerDay?: Quarters;
  readonly askPerDay?: Quarters;
  readonly approvePerDay?: Quarters;
};

const APP = ['<app>', "the app's id"] as const;

export function addKeysCommands(apps: Command, context: CliContext): void {
  const keys = apps
    .command('keys')
    .description("An app's server API keys and client secrets: two of each at the most, so that one can be replaced.");
  keys
    .command('issue')
    .description('Make a key, which is shown once. The others go on working until they are revoked.')
    .argument(...APP)
    .addOption(
      new Option('--kind <kind>', 'server API key or OAuth client secret')
        .choices(['server', 'client'])
        .default('server'),
    )
    .option(
      '--scope <scope>',
      `what a server key may do: ${ALL_KEY_SCOPES.join(', ')}; may be repeated; default ${USUAL_KEY_SCOPES.join(', ')}`,
      addScope,
    )
    .option('--pay-per-day <quarters>', 'the most a server key may pay out a day (UTC)', parseAmount)
    .option(
      '--ask-per-day <quarters>',
      'the most it may ask players for a day (UTC); needed with create-requests',
      parseAmount,
    )
    .option(
      '--approve-per-day <quarters>',
      'the most it may approve a day (UTC); needed with approve-requests',
      parseAmount,
    )
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      example(
        'apps keys issue 7Qm2xVb9KcRt4LpWz8Yd --scope pay --pay-per-day 10000',
        'apps keys issue 7Qm2xVb9KcRt4LpWz8Yd --scope create-requests --ask-per-day 50000',
        'apps keys issue 7Qm2xVb9KcRt4LpWz8Yd --kind client',
      ),
    )
    .action(async (id: string, options: IssueOptions) => {
      const { kind, scope: scopes = USUAL_KEY_SCOPES } = options;
      const { payPerDay = null, askPerDay = null, approvePerDay = null } = options;
      const key = kind === 'server' ? { kind, scopes, payPerDay, askPerDay, approvePerDay } : { kind };
      const secret = await withService(context, (service) => issueKey(service, id as AppId, key));
      const name = kind === 'server' ? 'Server API key' : 'Client secret';
      const text = `${formatFacts([[name, secret]])}\nIt is shown this once and stored only as a hash.\n`;
      print(context, options, { kind, secret }, text);
    });
  keys
    .command('revoke')
    .description('End a key at once.')
    .argument(...APP)
    .argument('<key>', "the key's id, as `apps keys list` prints it", parseKeyId)
    .option(...JSON_OPTION)
    .addHelpText('after', example('apps keys revoke 7Qm2xVb9KcRt4LpWz8Yd 3f9ac41be07d5528'))
    .action(async (id: string, keyId: string, options: OutputOptions) => {
      await withService(context, (service) => revokeKey(service, id as AppId, keyId));
      print(context, options, { id: keyId, revoked: true }, `The key ${keyId} opens nothing any more.\n`);
    });
  keys
    .command('list')
    .description('List the keys, revoked ones too.')
    .argument(...APP)
    .option(...JSON_OPTION)
    .addHelpText('after', example('apps keys list 7Qm2xVb9KcRt4LpWz8Yd'))
    .action(async (id: string, options: OutputOptions) => {
      const { keys: found } = await withService(context, (service) => showApp(service, id as AppId));
      print(context, options, { keys: found.map(describeKey) }, keysText(found));
    });
}

function addScope(text: string, previous: readonly string[] = []): string[] {
  if (!(ALL_KEY_SCOPES as string[]).includes(text))
    throw new InvalidArgumentError(`A scope is one of ${ALL_KEY_SCOPES.join(', ')}.`);
  return previous.includes(text) ? [...previous] : collect(text, previous);
}

function parseKeyId(text: string): string {
  if (new RegExp(KEY_ID_PATTERN).test(text)) return text;
  throw new InvalidArgumentError('A key is named by its id, 16 hexadecimal digits, never by the key itself.');
}
