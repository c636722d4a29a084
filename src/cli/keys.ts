import { InvalidArgumentError, Option } from 'commander';
import type { Quarters } from '../base/quarters.ts';
import type { KeyKind } from '../identity/app-keys.ts';
import { ALL_KEY_SCOPES, KEY_ID_PATTERN, type KeyScope, USUAL_KEY_SCOPES } from '../identity/key-scopes.ts';
import { listedKeys } from './app-text.ts';
import { type CliCommand, collect } from './command.ts';
import { formatFacts } from './format.ts';
import { parseAmount } from './values.ts';

type IssueOptions = {
  readonly name?: string;
  readonly kind: KeyKind;
  readonly scope?: readonly KeyScope[];
  readonly payPerDay?: Quarters;
  readonly askPerDay?: Quarters;
  readonly approvePerDay?: Quarters;
};

export function addKeysCommands(apps: CliCommand): void {
  const keys = apps
    .command('keys')
    .description("Manage an app's server API keys and client secrets. Two of each may exist, so one can be rotated.");
  addIssue(keys);
  addRevoke(keys);
  addList(keys);
}

function addIssue(keys: CliCommand): void {
  keys
    .command('issue')
    .description('Create a key and show it once. Other keys keep working until you revoke them.')
    .app()
    .addOption(
      new Option('--kind <kind>', 'server API key or OAuth client secret')
        .choices(['server', 'client'])
        .default('server'),
    )
    .option('--name <name>', 'what to call it, such as "Game server"')
    .addOption(
      new Option('--scope <scope>', `what a server key may do (repeatable), default ${USUAL_KEY_SCOPES.join(', ')}`)
        .choices(ALL_KEY_SCOPES)
        .argParser(addScope),
    )
    .option('--pay-per-day <quarters>', 'most quarters a server key may pay out per day (UTC)', parseAmount)
    .option(
      '--ask-per-day <quarters>',
      'most quarters it may request from players per day (UTC); required with create-requests',
      parseAmount,
    )
    .option(
      '--approve-per-day <quarters>',
      'most quarters it may approve per day (UTC); required with approve-requests',
      parseAmount,
    )
    .examples(
      'apps keys issue 7Qm2xVb9KcRt4LpWz8Yd --name "Game server" --scope pay --pay-per-day 10000',
      'apps keys issue 7Qm2xVb9KcRt4LpWz8Yd --scope create-requests --ask-per-day 50000',
      'apps keys issue 7Qm2xVb9KcRt4LpWz8Yd --kind client',
    )
    .changes(async (service, id: string, options: IssueOptions) => {
      const { OPERATOR } = await import('../service/managers.ts');
      const { issueKey } = await import('../features/keys/keys.ts');
      const { kind, name = '', scope: scopes = USUAL_KEY_SCOPES } = options;
      const { payPerDay = null, askPerDay = null, approvePerDay = null } = options;
      const key = kind === 'server' ? { kind, name, scopes, payPerDay, askPerDay, approvePerDay } : { kind, name };
      const secret = await issueKey(service, OPERATOR, id, key);
      const label = kind === 'server' ? 'Server API key' : 'Client secret';
      const hint = '\nSave it now: it is shown only once. We store only a hash.\n';
      return { json: { kind, secret }, text: formatFacts([[label, secret]]), hint };
    });
}

function addRevoke(keys: CliCommand): void {
  keys
    .command('revoke')
    .description('Revoke a key immediately.')
    .app()
    .argument('<key>', 'the key id, as printed by `apps keys list`', parseKeyId)
    .examples('apps keys revoke 7Qm2xVb9KcRt4LpWz8Yd 3f9ac41be07d5528')
    .changes(async (service, id: string, keyId: string) => {
      const { OPERATOR } = await import('../service/managers.ts');
      const { revokeKey } = await import('../features/keys/keys.ts');
      await revokeKey(service, OPERATOR, id, keyId);
      return { json: { id: keyId, revoked: true }, text: `Revoked key ${keyId}.\n` };
    });
}

function addList(keys: CliCommand): void {
  keys
    .command('list')
    .description('List keys, including revoked ones.')
    .app()
    .examples('apps keys list 7Qm2xVb9KcRt4LpWz8Yd')
    .prints(async (service, id: string) => {
      const { OPERATOR } = await import('../service/managers.ts');
      const { showApp } = await import('../views/apps/show-app.ts');
      return listedKeys((await showApp(service, OPERATOR, id)).keys);
    });
}

function addScope(text: string, previous: readonly string[] = []): string[] {
  if (!(ALL_KEY_SCOPES as string[]).includes(text))
    throw new InvalidArgumentError(`Use one of ${ALL_KEY_SCOPES.join(', ')}.`);
  return previous.includes(text) ? [...previous] : collect(text, previous);
}

function parseKeyId(text: string): string {
  if (new RegExp(KEY_ID_PATTERN).test(text)) return text;
  throw new InvalidArgumentError(
    'Use the key id, 16 hexadecimal digits such as 3f9ac41be07d5528, never the key itself.',
  );
}
