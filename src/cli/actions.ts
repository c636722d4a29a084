import { Option } from 'commander';
import { ACTION_STATES, type ActionRow, type ActionState } from '../operator-actions/operator-actions.ts';
import { DONE_COLUMNS } from '../views/inspection/found-columns.ts';
import { type CliCommand, type CliContext, type OutputOptions, parseUuid, print, withService } from './command.ts';
import { type ConfirmOptions, confirm, YES_OPTION } from './confirm.ts';
import { CommandEnd } from './exit-codes.ts';
import { formatFacts, formatTable, jsonAmount, readableAmount, readableTime } from './format.ts';

const ID_ARGUMENT = ['<id>', 'the action id, as printed by `actions list`', parseUuid] as const;

export function addActionsCommands(program: CliCommand, context: CliContext): void {
  const actions = program.command('actions').description('What operators did, and what waits for a second operator.');
  addList(actions, context);
  addShow(actions, context);
  addApprove(actions, context);
  addRefuse(actions, context);
  addRetry(actions, context);
}

type ListOptions = OutputOptions & { readonly state?: ActionState; readonly subject?: string; readonly after?: string };

function addList(actions: CliCommand, context: CliContext): void {
  actions
    .command('list')
    .description('List actions, newest first, 50 at a time.')
    .addOption(new Option('--state <state>', 'only those in this state').choices([...ACTION_STATES]))
    .option('--subject <subject>', 'only those that concern this, such as user:<id> or app:<id>')
    .option('--after <id>', 'continue after this action', parseUuid)
    .json()
    .examples('actions list --state waiting', 'actions list --subject app:7Qm2xVb9KcRt4LpWz8Yd')
    .action(async ({ state, subject, after, ...options }: ListOptions) => {
      const { browseActions } = await import('../features/operator-actions/read-actions.ts');
      const found = await withService(context, (service) => browseActions(service, { state, subject }, after));
      const more = found.next ? `More: npx quarters actions list --after ${found.next}\n` : '';
      const text = found.actions.length === 0 ? 'No actions.\n' : `${tableOf(found.actions)}${more}`;
      print(context, options, { actions: found.actions.map(actionJson), next: found.next }, text);
    });
}

function tableOf(actions: readonly ActionRow[]): string {
  const { asked, state, action, quarters, by } = DONE_COLUMNS;
  return formatTable([asked, state, action, quarters, by, { label: 'Id', value: ({ id }) => id }], actions);
}

function addShow(actions: CliCommand, context: CliContext): void {
  actions
    .command('show')
    .description('Show an action: what was asked for, by whom, and what came of it.')
    .argument(...ID_ARGUMENT)
    .json()
    .examples('actions show 019a3f4e-7c1b-7d52-9f0e-3b6a1c2d4e5f')
    .action(async (id: string, options: OutputOptions) => {
      const { readAction } = await import('../features/operator-actions/read-actions.ts');
      const action = await withService(context, (service) => readAction(service, id));
      print(context, options, actionJson(action), actionText(action));
    });
}

function addApprove(actions: CliCommand, context: CliContext): void {
  actions
    .command('approve')
    .description('Approve what another operator asked for. It is done at once.')
    .argument(...ID_ARGUMENT)
    .option('--hash <hash>', 'the hash that `actions show` printed; required with --yes')
    .option(...YES_OPTION)
    .json()
    .examples('actions approve 019a3f4e-7c1b-7d52-9f0e-3b6a1c2d4e5f')
    .action(async (id: string, { hash, ...options }: OutputOptions & ConfirmOptions & { readonly hash?: string }) => {
      if (options.yes && hash === undefined) {
        throw new CommandEnd('wrongUsage', 'Nothing was done: with --yes, name what you approve with --hash.');
      }
      const { approveAction } = await import('../features/operator-actions/approve-action.ts');
      const { previewWaiting, readAction } = await import('../features/operator-actions/read-actions.ts');
      const { endUnlessDone, previewText, shellOperator } = await import('./perform.ts');
      const action = await withService(context, async (service) => {
        const waiting = await readAction(service, id);
        if (!options.yes && waiting.state === 'waiting') {
          const what = `${actionText(waiting)}\n${previewText(await previewWaiting(service, waiting))}`;
          await confirm(context, options, { what, question: 'Approve this action?' });
        }
        const approval = { id, hash: hash ?? waiting.paramsHash };
        return (await approveAction(service, shellOperator(), approval)).action;
      });
      endUnlessDone(action);
      print(context, options, actionJson(action), actionText(action));
    });
}

function addRefuse(actions: CliCommand, context: CliContext): void {
  actions
    .command('refuse')
    .description('Decide against an action that waits, or withdraw your own.')
    .argument(...ID_ARGUMENT)
    .json()
    .examples('actions refuse 019a3f4e-7c1b-7d52-9f0e-3b6a1c2d4e5f')
    .action(async (id: string, options: OutputOptions) => {
      const { refuseAction } = await import('../features/operator-actions/approve-action.ts');
      const { shellOperator } = await import('./perform.ts');
      const action = await withService(context, (service) => refuseAction(service, shellOperator(), id));
      print(context, options, actionJson(action), `Refused action ${id}.\n`);
    });
}

function addRetry(actions: CliCommand, context: CliContext): void {
  actions
    .command('retry')
    .description(
      'Finish an action that was interrupted (state `started`). It has one effect, however often you run this.',
    )
    .argument(...ID_ARGUMENT)
    .json()
    .examples('actions retry 019a3f4e-7c1b-7d52-9f0e-3b6a1c2d4e5f')
    .action(async (id: string, options: OutputOptions) => {
      const { retryAction } = await import('../features/operator-actions/approve-action.ts');
      const { endUnlessDone, shellOperator } = await import('./perform.ts');
      const action = await withService(context, (service) => retryAction(service, shellOperator(), id));
      endUnlessDone(action);
      print(context, options, actionJson(action), actionText(action));
    });
}

function actionJson({ params, amount, askedAt, expiresAt, decidedAt, ...action }: ActionRow) {
  return {
    ...action,
    params: JSON.parse(params),
    quarters: amount === null ? null : jsonAmount(amount),
    askedAt: askedAt.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
    decidedAt: decidedAt?.toISOString() ?? null,
  };
}

function actionText(action: ActionRow): string {
  return formatFacts([
    ['Action', action.id],
    ['Kind', action.kind],
    ['State', action.state],
    ...(action.amount === null ? [] : [['Amount', readableAmount(action.amount)] as const]),
    ['Parameters', action.params],
    ['Hash', action.paramsHash],
    ['Reason', action.reason],
    ['Asked', `${action.askedBy}, ${readableTime(action.askedAt)}`],
    ...(action.state === 'waiting' ? [['Expires', readableTime(action.expiresAt!)] as const] : []),
    ...(action.decidedBy ? [['Decided', `${action.decidedBy}, ${readableTime(action.decidedAt!)}`] as const] : []),
    ...(action.result ? [['Result', JSON.stringify(action.result)] as const] : []),
  ]);
}
