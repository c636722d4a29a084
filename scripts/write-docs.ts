/**
 * Writes the generated parts of the documents: settings (docs/operate/settings.md), security events and actions of the
 * operator's log (docs/operate/logs.md), operators' actions (docs/operate/actions.md), commands and their exit codes (docs/operate/commands.md),
 * what is kept how long (docs/operate/kept.md), error codes (docs/integrate/errors.md), the list for going live (docs/integrate/going-live.md), amounts
 * that decide in the emulator (docs/integrate/test.md), and figures of bench/measured.json (docs/benchmarks.md, README.md,
 * docs/operate/scaling.md). `--check` compares instead, and fails if a document is out of date.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { posix } from 'node:path';
import { magicAmountsTable } from '../local/emulator/outcomes/magic-amounts.ts';
import { emulator } from '../local/emulator/wing.ts';
import { PROBLEMS } from '../src/base/problems.ts';
import { SECURITY_EVENTS } from '../src/base/security-log.ts';
import { EXIT_CODES } from '../src/cli/exit-codes.ts';
import { buildProgram } from '../src/cli/run.ts';
import { SETTINGS } from '../src/config/settings.ts';
import type { ShownThing } from '../src/features/operator-actions/declaration.ts';
import { ACTION_KINDS, type ActionKind } from '../src/features/operator-actions/kinds.ts';
import { KEPT } from '../src/jobs/additions.ts';
import { KEPT_ROWS } from '../src/jobs/kept-rows.ts';
import { LOGGED_ACTIONS } from '../src/operator-log/logged-actions.ts';
import { houseOf, loadAll } from '../src/service/house.ts';
import { LIVE_ITEMS, type LiveSide } from '../src/wings/doctor/diagnostics/going-live.ts';
import { WINGS } from '../src/wings.ts';
import { FIGURE_PARTS } from './figures.ts';

const LIVE_PAGE = 'docs/integrate/going-live.md';

/** Where the console shows a form, by what the page shows. */
const PLACES: Readonly<Record<keyof ShownThing, string>> = {
  user: "the user's page",
  app: "the app's page",
  transfer: "the transfer's page",
  report: 'Player reports',
  operator: 'Operators',
  operators: 'Operators',
  copy: 'Health',
};

/** Flags of many commands, which their table leaves out. */
const COMMON = new Set(['--json', '--yes', '--reason']);

const commandRows = rowsOf(await program(), '');

const parts = [
  { file: 'docs/operate/settings.md', name: 'settings', text: settingsTable() },
  { file: 'docs/operate/logs.md', name: 'events', text: eventsTable() },
  { file: 'docs/operate/actions.md', name: 'actions', text: actionsTable() },
  { file: 'docs/operate/commands.md', name: 'exit-codes', text: exitCodesTable() },
  { file: 'docs/operate/commands.md', name: 'commands', text: commandsTable() },
  { file: 'docs/operate/kept.md', name: 'kept', text: await keptTable() },
  { file: 'docs/integrate/errors.md', name: 'problems', text: problemsTable() },
  { file: LIVE_PAGE, name: 'live-game', text: liveTable('game') },
  { file: LIVE_PAGE, name: 'live-service', text: liveTable('service') },
  { file: 'docs/integrate/test.md', name: 'magic-amounts', text: magicAmountsTable() },
  ...FIGURE_PARTS,
];

let stale = false;
for (const { file, name, text } of parts) {
  const url = new URL(`../${file}`, import.meta.url);
  const current = await readFile(url, 'utf8');
  const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const start = current.indexOf(open) + open.length;
  const written = `${current.slice(0, start)}\n${text}\n${current.slice(current.indexOf(close))}`;
  if (written === current) continue;
  if (process.argv.includes('--check')) {
    console.error(`${file} is out of date. Run npm run generate.`);
    stale = true;
  } else {
    await writeFile(url, written);
  }
}
process.exitCode = stale ? 1 : 0;

function settingsTable(): string {
  const rows = Object.values(SETTINGS).map(
    ({ name, fallback, help, file }) =>
      `| \`${name}${fallback ? `=${fallback}` : ''}\` | ${help}${file ? `. Or \`${file}\`` : ''} |`,
  );
  return ['| Variable and default | What |', '|---|---|', ...rows].join('\n');
}

/** Security events and actions of the operator's log. Many are both, with one name. */
function eventsTable(): string {
  const events = new Map<string, { level: string | null; help: string }>(Object.entries(SECURITY_EVENTS));
  const actions = new Map<string, string>(Object.entries(LOGGED_ACTIONS));
  const rows = [...new Set([...events.keys(), ...actions.keys()])].toSorted().map((name) => {
    const event = events.get(name);
    const written = [...(event ? [event.level ?? 'counted'] : []), ...(actions.has(name) ? ['entry'] : [])];
    return `| \`${name}\` | ${written.join(', ')} | ${event?.help ?? actions.get(name)} |`;
  });
  return ['| Event | Written | Means |', '|---|---|---|', ...rows].join('\n');
}

async function keptTable(): Promise<string> {
  const all = [KEPT_ROWS, ...(await loadAll(houseOf(WINGS), KEPT))];
  const rows = all.flatMap((kept) => Object.values(kept).flat());
  return [
    '| What | Kept | For | Table |',
    '|---|---|---|---|',
    ...rows.map(({ what, kept, why, table }) => `| ${what} | ${kept} | ${why} | \`${table}\` |`),
  ].join('\n');
}

function problemsTable(): string {
  const rows = Object.entries(PROBLEMS).map(([code, problem]) => {
    const mark = 'nothingDecided' in problem ? '; nothing was decided' : '';
    return `| \`${code}\` | ${problem.status} | ${problem.title}${mark} |`;
  });
  return ['| Code | Status | Title |', '|---|---|---|', ...rows].join('\n');
}

function liveTable(side: LiveSide): string {
  const rows = LIVE_ITEMS[side].map(({ says, docs, check }) => {
    const link = posix.relative(posix.dirname(LIVE_PAGE), docs);
    return `| [${says}](${link}) | ${check ? 'doctor' : 'you'} |`;
  });
  return ['| So it is | Says who |', '|---|---|', ...rows].join('\n');
}

function exitCodesTable(): string {
  const rows = Object.values(EXIT_CODES).map(({ code, means }) => `| ${code} | ${means} |`);
  return ['| Code | Means |', '|---|---|', ...rows].join('\n');
}

function actionsTable(): string {
  const rows = [...ACTION_KINDS.values()].map(({ title, page, forms = [], command, ownCommand, ...kind }) => {
    const places = new Set([...(page ? ['Actions'] : []), ...forms.map(({ on }) => PLACES[on])]);
    const path = ownCommand ?? command?.path;
    const row = commandRows.find((row) => /^\| `([\w -]+?)(?: <.*)?` \| /.exec(row)?.[1] === path);
    if (!row) throw new Error(`No file of src/cli adds the command of "${title}".`);
    return `| ${title} | ${[...places].join(', ') || 'none'} | ${row.split(' | ')[0]!.slice(2)} | ${approvalOf(kind)} |`;
  });
  return ['| Action | In the console | Command | Second person |', '|---|---|---|---|', ...rows].join('\n');
}

function approvalOf({ alwaysFourEyes, amount }: Pick<ActionKind, 'alwaysFourEyes' | 'amount'>): string {
  if (alwaysFourEyes) return 'always';
  return amount ? 'above the limit' : 'never';
}

function commandsTable(): string {
  return ['| Command | What | Options |', '|---|---|---|', ...commandRows].join('\n');
}

function program(): ReturnType<typeof buildProgram> {
  const nothing = { start: async () => {}, migrate: async () => ({ applied: [] }) };
  const connect = () => Promise.reject(new Error('This only lists commands'));
  return buildProgram(
    { ...nothing, house: () => houseOf([...WINGS, emulator]), connect, out: process.stdout, err: process.stderr },
    () => {},
  );
}

/** A row for each command that does something, in the order of the help. */
function rowsOf(command: Awaited<ReturnType<typeof buildProgram>>, path: string): string[] {
  return command.commands.flatMap((below) => {
    const name = `${path} ${below.name()}`.trim();
    if (below.commands.length > 0) return rowsOf(below, name);
    const words = [name, ...below.registeredArguments.map((argument) => `<${argument.name()}>`)];
    // `--help` says what each takes, and the page what many have.
    const flags = below.options
      .map((option) => option.flags.replace(/ [<[].*/, ''))
      .filter((flag) => !COMMON.has(flag));
    const options = flags.map((flag) => `\`${flag}\``);
    return [`| \`${words.join(' ')}\` | ${below.description().replaceAll('|', '\\|')} | ${options.join(', ')} |`];
  });
}
