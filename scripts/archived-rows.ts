import { literalsOf } from './source-text.ts';

/** Tables whose old rows are archived by month, in tables that inherit from them. */
const ARCHIVED = ['requests', 'transfers', 'transactions', 'postings'];

// A statement with ONLY reads live rows; each open payment is one. Without it, it reads archived rows too, as long as their month is attached.
const READS =
  /\b(?:FROM|JOIN|UPDATE|USING)\s+(?<only>ONLY\s+)?(?<first>[a-z_]+)(?<rest>(?:(?:\s+(?:AS\s+)?[a-z_]+)?\s*,\s*(?:ONLY\s+)?[a-z_]+\b(?!\s*\())*)/g;

/** The tables whose archived rows a piece of SQL reads as well as the live ones. */
export function wholeReadsIn(sql: string): string[] {
  return [...sql.matchAll(READS)].flatMap(({ groups }) => {
    const others = [...groups!.rest!.matchAll(/,\s*(ONLY\s+)?([a-z_]+)/g)].filter(([, only]) => !only);
    const names = [...(groups!.only ? [] : [groups!.first!]), ...others.map(([, , name]) => name!)];
    return names.filter((name) => ARCHIVED.includes(name));
  });
}

/** What becomes of an answer when a month is detached to a file, and its rows are not read any more. */
const LEFT_OUT = 'a list ends where the detached months begin';
const ARCHIVED_PROBLEM =
  'who asks by an id gets the problem `archived`, or nothing where only living payments are asked for';
const ADDED = 'adds what `archived_balances` has of detached postings, and compares later blocks';
const RECENT = 'reads blocks that are newer than any month that can be detached';
const OPEN_TOO =
  'looks for what a node that has lost its state needs again: below detached months nothing is rewound or filled';
const FIGURES = 'what was counted stays; counting from the first block again is refused while a month is detached';

type WholeRead = { readonly path: string; readonly reads: Readonly<Record<string, number>>; readonly detached: string };

/** Each statement that reads archived rows, by its file: how often a file names each table without ONLY, and what that means for detached months. */
const WHOLE_READS: readonly WholeRead[] = [
  { path: 'src/ledger/archived-months.ts', reads: { postings: 1 }, detached: ADDED },
  { path: 'src/ledger/audit.ts', reads: { postings: 10, transfers: 5 }, detached: ADDED },
  { path: 'src/ledger/blocks.ts', reads: { postings: 3 }, detached: 'the first and the newest block stay live' },
  { path: 'src/ledger/liabilities.ts', reads: { postings: 3 }, detached: RECENT },
  { path: 'src/ledger/posting-pages.ts', reads: { postings: 3 }, detached: 'an export that begins earlier is refused' },
  { path: 'src/ledger/postings.ts', reads: { postings: 6 }, detached: LEFT_OUT },
  { path: 'src/ledger/sweeps.ts', reads: { postings: 1 }, detached: 'nothing is detached during a sweep' },
  { path: 'src/ledger/transaction-postings.ts', reads: { postings: 1 }, detached: LEFT_OUT },
  { path: 'src/ledger/withdrawals.ts', reads: { postings: 1 }, detached: RECENT },
  { path: 'src/requests/recovered-requests.ts', reads: { requests: 1 }, detached: 'a restore begins after them' },
  { path: 'src/requests/request-list.ts', reads: { requests: 5 }, detached: LEFT_OUT },
  { path: 'src/requests/lock-requests.ts', reads: { requests: 2 }, detached: ARCHIVED_PROBLEM },
  { path: 'src/requests/refunded.ts', reads: { requests: 1 }, detached: ARCHIVED_PROBLEM },
  { path: 'src/requests/requests.ts', reads: { requests: 4 }, detached: ARCHIVED_PROBLEM },
  { path: 'src/requests/search-requests.ts', reads: { requests: 1 }, detached: LEFT_OUT },
  { path: 'src/requests/transitions.ts', reads: { requests: 4 }, detached: ARCHIVED_PROBLEM },
  {
    path: 'src/settlement/tables/archived-payments.ts',
    reads: { transfers: 2, requests: 2 },
    detached: 'refused: the ledger is not rewound below a detached month',
  },
  {
    path: 'src/settlement/tables/completed-transfers.ts',
    reads: { transfers: 1 },
    detached: 'as the exports of postings',
  },
  {
    path: 'src/settlement/tables/gas-days.ts',
    reads: { transfers: 1, transactions: 1 },
    detached: 'only what is counted is archived',
  },
  { path: 'src/settlement/tables/nonces.ts', reads: { transactions: 1 }, detached: OPEN_TOO },
  {
    path: 'src/settlement/tables/transaction-attempts.ts',
    reads: { transfers: 2, transactions: 3 },
    detached: ARCHIVED_PROBLEM,
  },
  { path: 'src/settlement/tables/transactions.ts', reads: { transfers: 1, transactions: 12 }, detached: OPEN_TOO },
  { path: 'src/settlement/tables/transfer-audit.ts', reads: { transfers: 6, requests: 2 }, detached: ADDED },
  { path: 'src/settlement/tables/transfer-list.ts', reads: { transfers: 4, requests: 3 }, detached: LEFT_OUT },
  {
    path: 'src/settlement/tables/transfer-transitions.ts',
    reads: { transactions: 3, transfers: 1 },
    detached: 'a repair begins after them, and the carriers of an open transfer are never archived',
  },
  { path: 'src/settlement/tables/transfers.ts', reads: { transfers: 8, transactions: 1 }, detached: ARCHIVED_PROBLEM },
  {
    path: 'src/settlement/tables/unknown-authorizations.ts',
    reads: { transfers: 1 },
    detached: 'a restore and a comparison begin after them',
  },
  {
    path: 'src/wings/economy/store/count-bite.ts',
    reads: { postings: 7, requests: 2, transfers: 1 },
    detached: FIGURES,
  },
  {
    path: 'src/wings/economy/store/farmed-guests.ts',
    reads: { requests: 1, postings: 1 },
    detached: 'compares what guests of the last weeks got',
  },
];

/** The wing that moves rows names the tables of both sides. */
const MOVES = /^src\/wings\/archive\/store\//;

/**
 * Lists each file that reads archived rows otherwise than it is written down, one sentence each. `files` maps paths from the root to sources.
 */
export function findUndecidedReads(files: ReadonlyMap<string, string>, known = WHOLE_READS): string[] {
  const faults: string[] = [];
  const listed = new Map(known.map((one) => [one.path, one]));
  for (const [path, source] of files) {
    if (!path.startsWith('src/') || !path.endsWith('.ts') || MOVES.test(path)) continue;
    const found = Map.groupBy(literalsOf(source).flatMap(wholeReadsIn), (table) => table);
    const said = listed.get(path)?.reads ?? {};
    for (const table of new Set([...found.keys(), ...Object.keys(said)])) {
      const [is, was] = [found.get(table)?.length ?? 0, said[table] ?? 0];
      if (is !== was) {
        faults.push(
          `${path} names ${table} without ONLY ${is} times, and scripts/archived-rows.ts says ${was}. Add ONLY if the rows cannot be archived; else say what it means for detached months.`,
        );
      }
    }
    listed.delete(path);
  }
  return [...faults, ...[...listed.keys()].map((path) => `${path} is not there any more.`)];
}
