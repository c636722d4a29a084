import { Option } from 'commander';
import type { Column } from '../base/columns.ts';
import { inJson } from '../base/facts.ts';
import { ACTION_STATES, type ActionRow, type ActionState } from '../operator-actions/operator-actions.ts';
import type { Service } from '../service/service.ts';
import { ACTION_FACTS } from '../views/inspection/action-facts.ts';
import { DONE_COLUMNS } from '../views/inspection/found-columns.ts';
import type { CliCommand, Printed } from './command.ts';
import { type ConfirmOptions, confirm, YES_OPTION } from './confirm.ts';
import { CommandEnd } from './exit-codes.ts';
import { listed, shown } from './reading.ts';
import { parseActionHash, parseSubject, parseUuid } from './values.ts';

const ID_ARGUMENT = ['<id>', 'the action id, as printed by `actions list`', parseUuid] as const;

const { asked, state, action, quarters, by } = DONE_COLUMNS;
const COLUMNS: readonly Column<ActionRow>[] = [
  ...[asked, state, action, quarters, by],
  { label: 'Id', value: ({ id }) => id },
];

export function addActionsCommands(program: CliCommand): void {
  const actions = program.command('actions').description('What operators did, and what waits for a second operator.');
  addReading(actions);
  addApprove(actions);
  addRefuse(actions);
  addRetry(actions);
}

type ListOptions = { readonly state?: ActionState; readonly subject?: string; readonly after?: string };

function addReading(actions: CliCommand): void {
  actions
    .command('list')
    .description('List actions, newest first, 50 at a time.')
    .addOption(new Option('--state <state>', 'only those in this state').choices([...ACTION_STATES]))
    .option('--subject <subject>', 'only those that concern this, such as user:<id> or app:<id>', parseSubject)
    .option('--after <id>', 'continue after this action', parseUuid)
    .examples('actions list --state waiting', 'actions list --subject app:7Qm2xVb9KcRt4LpWz8Yd')
    .prints(async (service, { state, subject, after }: ListOptions) => {
      const { browseActions } = await import('../features/operator-actions/read-actions.ts');
      const { actions: found, next } = await browseActions(service, { state, subject }, after);
      const json = { actions: found.map(inJson(ACTION_FACTS)), next };
      return listed(json, COLUMNS, found, { none: 'No actions.', next });
    });
  actions
    .command('show')
    .description('Show an action: what was asked for, by whom, and what came of it.')
    .argument(...ID_ARGUMENT)
    .examples('actions show 019a3f4e-7c1b-7d52-9f0e-3b6a1c2d4e5f')
    .prints(async (service, id: string) => {
      const { readAction } = await import('../features/operator-actions/read-actions.ts');
      return shown(ACTION_FACTS, await readAction(service, id));
    });
}

function addApprove(actions: CliCommand): void {
  actions
    .command('approve')
    .description('Approve what another operator asked for. It is done at once.')
    .argument(...ID_ARGUMENT)
    .option('--hash <hash>', 'the hash that `actions show` printed; required with --yes', parseActionHash)
    .option(...YES_OPTION)
    .examples('actions approve 019a3f4e-7c1b-7d52-9f0e-3b6a1c2d4e5f')
    .changes(async (service, id: string, options: ApproveOptions) => {
      if (options.yes && options.hash === undefined)
        throw new CommandEnd('wrongUsage', 'Nothing was done: with --yes, name what you approve with --hash.');
      const { approveAction } = await import('../features/operator-actions/approve-action.ts');
      const { previewWaiting, readAction } = await import('../features/operator-actions/read-actions.ts');
      const { previewText, shellOperator } = await import('./perform.ts');
      const waiting = await readAction(service, id);
      if (!options.yes && waiting.state === 'waiting') {
        const what = `${shown(ACTION_FACTS, waiting).text}\n${previewText(await previewWaiting(service, waiting))}`;
        await confirm(actions.context, options, { what, question: 'Approve this action?' });
      }
      const approval = { id, hash: options.hash ?? waiting.paramsHash };
      return whatCame(actions, service, (await approveAction(service, shellOperator(), approval)).action);
    });
}

type ApproveOptions = ConfirmOptions & { readonly hash?: string };

function addRefuse(actions: CliCommand): void {
  actions
    .command('refuse')
    .description('Decide against an action that waits, or withdraw your own.')
    .argument(...ID_ARGUMENT)
    .examples('actions refuse 019a3f4e-7c1b-7d52-9f0e-3b6a1c2d4e5f')
    .changes(async (service, id: string) => {
      const { refuseAction } = await import('../features/operator-actions/approve-action.ts');
      const { shellOperator } = await import('./perform.ts');
      const refused = await refuseAction(service, shellOperator(), id);
      return { json: inJson(ACTION_FACTS)(refused), text: `Refused action ${id}.\n` };
    });
}

function addRetry(actions: CliCommand): void {
  actions
    .command('retry')
    .description('Finish an action that was interrupted (state `started`), with one effect however often.')
    .argument(...ID_ARGUMENT)
    .examples('actions retry 019a3f4e-7c1b-7d52-9f0e-3b6a1c2d4e5f')
    .changes(async (service, id: string) => {
      const { retryAction } = await import('../features/operator-actions/approve-action.ts');
      const { shellOperator } = await import('./perform.ts');
      return whatCame(actions, service, await retryAction(service, shellOperator(), id));
    });
}

async function whatCame({ context }: CliCommand, service: Service, action: ActionRow): Promise<Printed> {
  const { endUnlessDone, untilActionArrived } = await import('./perform.ts');
  endUnlessDone(action);
  return { ...shown(ACTION_FACTS, action), after: () => untilActionArrived(context, service, action) };
}
