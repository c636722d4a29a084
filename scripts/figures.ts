/** The figures of bench/measured.json that documents show, as tables. So no document has others than were measured. */
import { measuredText, readMeasured, withUnit } from '../bench/report.ts';

const sections = readMeasured();

/** Of each claim, by its name for `--only`: its figures by their names. */
const figures = new Map(
  sections.map((section) => [section.claim, new Map(section.figures.map((one) => [one.name, one]))]),
);

function figure(claim: string, name: string) {
  const found = figures.get(claim)?.get(name);
  if (!found) throw new Error(`No "${name}" in bench/measured.json: npm run bench -- --only ${claim} --write`);
  return { ...found, text: withUnit(found.value, found.unit) };
}

const text = (claim: string, name: string) => figure(claim, name).text;
const value = (claim: string, name: string) => figure(claim, name).value;
/** Of its limit. */
const percent = (claim: string, name: string) => `${Math.round(figure(claim, name).ratio! * 100)} %`;

function table(head: string, rows: readonly (readonly string[])[]): string {
  return [head, head.replaceAll(/[^|]+/g, '---'), ...rows.map((row) => `| ${row.join(' | ')} |`)].join('\n');
}

/** What README says of the speed. */
function threeFigures(): string {
  return table('| What | Figure | Beside it |', [
    [
      'transfers settled, 50 in a transaction',
      text('transfers-packed', 'packed by 50: settled'),
      `${percent('transfers-packed', 'packed by 50: settled')} of what the node alone takes`,
    ],
    [
      'processor time of service and PostgreSQL for a transfer',
      text('transfers', 'single: CPU of service and PostgreSQL, with proof'),
      'each in its own transaction',
    ],
    ['answer to a payment', text('transfers', 'single: answer, p50 at c=1'), 'median, one caller'],
  ]);
}

/** A figure of single transfers, and the same of packed ones. */
const both = (name: string) => [
  text('transfers', `single: ${name}`),
  text('transfers-packed', `packed by 50: ${name}`),
];

/** Rows of these stay for good. Those of events go after 30 days, and the space of open transfers is used again. */
const KEPT = ['postings', 'requests', 'transactions', 'transfers'];

/** Bytes a transfer. */
function kept(way: string): number {
  return KEPT.reduce(
    (sum, table) => sum + value('storage', `${way}: ${table}, rows`) + value('storage', `${way}: ${table}, indexes`),
    0,
  );
}

const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;

function transferTable(): string {
  const count = (name: string) => text('counts', `${name} a transfer`);
  const after = (compression: string) =>
    text('growth', `1,000,000 accounts: WAL just after a checkpoint, wal_compression ${compression}`);
  return table('| For one transfer | Alone | Packed by 50 |', [
    ['CPU of the service', ...both('CPU of the service')],
    ['CPU of PostgreSQL', ...both('CPU of PostgreSQL')],
    [
      'CPU of PostgreSQL with a million accounts and twenty million postings',
      `${percent('growth', '1,000,000 accounts: CPU of PostgreSQL')} of that with 10,000`,
      '',
    ],
    ['CPU of the node', ...both('CPU of the node')],
    ['WAL', ...both('WAL')],
    [
      'WAL in the seconds after a checkpoint, with a million accounts',
      `${after('off')}, ${after('on')} with \`wal_compression=on\``,
      '',
    ],
    ['disk that stays', kilobytes(kept('single')), kilobytes(kept('packed by 50'))],
    ['[gas](gas.md), to an account that has quarters', '68,500', '41,800'],
    [
      'statements, transactions, round trips to the database',
      ['statements', 'transactions', 'round trips'].map(count).join(', '),
      '',
    ],
    ['**settled, all parts on the two cores**', ...both('settled')],
  ]);
}

const WAYS = [
  ['with `Idempotency-Key`', 'with Idempotency-Key'],
  ['with a key that has a daily limit', 'key with a daily limit'],
  ['100 lines in a call', 'bulk, 100 lines a call'],
  ['a refund', 'refunds'],
  ['a request that is approved automatically', 'requests, auto-approved'],
  ['a request that a player approves on our page', 'requests, approved on our page'],
  ['a request of which a reward pays a part', 'requests, a reward pays a part'],
] as const;

function waysTable(): string {
  return table(
    '| Way to pay | Service | PostgreSQL |',
    WAYS.map(([words, name]) => [
      words,
      text('ways', `${name}: CPU of the service`),
      text('ways', `${name}: CPU of PostgreSQL`),
    ]),
  );
}

const RATES = [100, 1_000, 10_000];

function rateTable(): string {
  const digits = (number: number) => Number(number.toPrecision(2)).toLocaleString('en');
  const cores = (part: string, claim = 'transfers', way = 'single') =>
    RATES.map((rate) => digits((2 * rate * value(claim, `${way}: CPU of ${part}`)) / 1000));
  const packed = cores('the node', 'transfers-packed', 'packed by 50');
  const wal = value('transfers', 'single: WAL');
  const high = value('growth', '1,000,000 accounts: WAL just after a checkpoint, wal_compression off');
  const month = 30 * 86_400 * kept('single');
  return table(`| All day long, alone | ${RATES.map((rate) => `${rate.toLocaleString('en')}/s`).join(' | ')} |`, [
    ['cores of the service, doubled', ...cores('the service')],
    ['cores of PostgreSQL, doubled', ...cores('PostgreSQL')],
    ['cores of the node, doubled (packed)', ...cores('the node').map((alone, i) => `${alone} (${packed[i]})`)],
    [
      'WAL, and just after a checkpoint without `wal_compression`',
      ...RATES.map((rate) => `${digits((rate * wal) / 1000)}, ${digits((rate * high) / 1000)} MB/s`),
    ],
    ['disk that stays, a month', ...RATES.map((rate) => `${digits((rate * month) / 1e12)} TB`)],
  ]);
}

export const FIGURE_PARTS = [
  { file: 'docs/benchmarks.md', name: 'measured', text: measuredText(sections) },
  { file: 'README.md', name: 'figures', text: threeFigures() },
  { file: 'docs/operate/scaling.md', name: 'transfer-figures', text: transferTable() },
  { file: 'docs/operate/scaling.md', name: 'ways-figures', text: waysTable() },
  { file: 'docs/operate/scaling.md', name: 'rate-figures', text: rateTable() },
];
