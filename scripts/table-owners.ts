import { literalsOf } from './source-text.ts';

/**
 * Says which module, or which wing, owns which table, as data, and finds the queries of other modules. Only the owner reads and writes a table.
 * Another module gets what it needs as a value.
 */
const OWNERS: Readonly<Record<string, readonly string[]>> = {
  'call-log': ['api_calls', 'api_call_hours'],
  chain: ['chain', 'relayers', 'learned_tip', 'learned_gas'],
  custody: ['data_keys', 'kept_copies', 'seed', 'signing_keys'],
  economy: [
    ...['economy_cursor', 'economy_flows', 'economy_new_payers', 'economy_payers', 'economy_tops', 'economy_undo'],
    ...['economy_days', 'economy_lists', 'refusal_counts', 'player_refusals'],
  ],
  idempotency: ['idempotency_keys'],
  identity: [
    ...['users', 'passwords', 'passkeys', 'passkey_challenges', 'email_codes', 'attempts', 'attempt_budgets'],
    ...['guest_counts', 'guest_tokens', 'apps', 'app_keys', 'app_pictures', 'app_members', 'app_invitations'],
    ...['consents', 'mandates', 'form_drafts', 'sign_in_links', 'operators', 'withdrawal_addresses', 'former_emails'],
    'seen_players',
  ],
  ledger: [
    ...['accounts', 'blocks', 'postings', 'orphaned_deposits', 'suspension', 'sweeps', 'last_audit'],
    ...['rewards', 'reward_claims', 'earned_rewards', 'withdrawals', 'archived_months', 'archived_balances'],
  ],
  liabilities: ['liability_publications', 'liability_leaves'],
  mail: ['mails', 'refused_mails'],
  oauth: ['oauth_records'],
  'operator-log': ['operator_log', 'operator_log_names', 'operator_log_reasons'],
  'operators-log': ['operator_log_checkpoints', 'operator_log_checks'],
  'operator-actions': ['operator_actions'],
  'pay-files': ['pay_batches', 'pay_batch_rows'],
  membership: ['processes', 'compatibility', 'left_in_order'],
  requests: ['requests', 'pending_requests', 'reports', 'app_hours', 'app_hour_delays', 'app_counts'],
  settlement: [
    ...['transfers', 'open_transfers', 'transactions', 'further_transactions'],
    ...['broadcasts', 'consumed_nonces', 'gas_days', 'gas_cursors', 'recovered_payments'],
  ],
  webhooks: ['webhook_endpoints', 'events', 'event_clock', 'deliveries'],
};

/** Queries that read tables of two owners, and why they are not split. */
const CROSSINGS: readonly { readonly path: string; readonly table: string; readonly why: string }[] = [
  {
    path: 'src/settlement/tables/transfer-transitions.ts',
    table: 'relayers',
    why: 'whether anything carries a transfer is asked while its row is locked: a value would be older than that',
  },
  {
    path: 'src/ledger/audit.ts',
    table: 'transfers',
    why: 'compares the two histories in one statement: apart, every transfer there ever was would be fetched',
  },
  ...['blocks', 'postings', 'accounts', 'transfers', 'requests'].map((table) => ({
    path: 'src/wings/economy/store/count-bite.ts',
    table,
    why: 'counts one state of the ledger in one statement: apart, every posting there ever was would be fetched',
  })),
  ...['accounts', 'users'].map((table) => ({
    path: 'src/wings/economy/store/never-paid.ts',
    table,
    why: 'finds in one statement who has quarters and no payment: apart, all players would be fetched',
  })),
  ...['users', 'accounts', 'requests', 'postings'].map((table) => ({
    path: 'src/wings/economy/store/farmed-guests.ts',
    table,
    why: 'compares what guests got in one statement: apart, their requests would be fetched',
  })),
  ...[
    ['chain.ts', 'operator_log'],
    ['entries.ts', 'operator_log'],
    ['entries.ts', 'operator_log_reasons'],
    ['pruning.ts', 'operator_log'],
    ['pruning.ts', 'operator_log_names'],
    ['pruning.ts', 'operator_log_reasons'],
  ].map(([file = '', table = '']) => ({
    path: `src/wings/operators-log/store/${file}`,
    table,
    why: 'the core writes entries, and needs none of what reads, seals and prunes them',
  })),
  ...[
    ...['transactions', 'requests', 'transfers', 'postings', 'reward_claims', 'recovered_payments', 'pending_requests'],
    ...['earned_rewards', 'gas_cursors', 'consumed_nonces', 'blocks'],
  ].map((table) => ({
    path: 'src/wings/archive/store/move-rows.ts',
    table,
    why: 'takes rows out of one table and puts them into another in one statement, so that whoever looks sees each once',
  })),
  ...['archived_months', 'blocks'].map((table) => ({
    path: 'src/wings/archive/store/months.ts',
    table,
    why: 'the core needs to know which months are archived, and not how they come to be',
  })),
  ...['transfers', 'reward_claims', 'rewards', 'pay_batch_rows', 'recovered_payments'].map((table) => ({
    path: 'src/wings/archive/store/kept-for-ever.ts',
    table,
    why: 'counts the rows that are never archived, whosever they are',
  })),
  {
    path: 'src/settlement/tables/archived-payments.ts',
    table: 'requests',
    why: 'puts archived rows of transfers and of their requests back in one step',
  },
  {
    path: 'src/ledger/accounts.ts',
    table: 'users',
    why: "adds up what an app's guests have: apart, the ids of all its guests would be fetched",
  },
  {
    path: 'src/oauth/records.ts',
    table: 'apps',
    why: 'locks the app before the grant where a token is stored: apart, each token would take a transaction of four round trips',
  },
  {
    path: 'src/oauth/tokens.ts',
    table: 'apps',
    why: 'reads with a token whether its app is suspended: apart, each call of a user would take another round trip',
  },
  ...['transfers', 'broadcasts'].map((table) => ({
    path: 'src/requests/requests.ts',
    table,
    why: 'shows a request as submitted as soon as its transaction is sent: a row for each would be written otherwise',
  })),
  {
    path: 'src/settlement/tables/transfer-audit.ts',
    table: 'requests',
    why: 'compares requests with their transfers in one statement: apart, every request there ever was would be fetched',
  },
  {
    path: 'src/settlement/tables/transfer-list.ts',
    table: 'requests',
    why: 'walks the requests by their index, and stops at the last transfer of the page',
  },
  {
    path: 'src/settlement/tables/transfer-transitions.ts',
    table: 'accounts',
    why: 'locks a limited number of transfers: those the balance does not cover would take the places of others',
  },
];

/** Their tables have the names of months. */
const COMPUTES_NAMES = ['month-rows', 'month-tables', 'move-rows'].map((name) => `src/wings/archive/store/${name}.ts`);

// Matches a keyword and a name, and in a FROM also the names after commas. An interpolation is a question mark.
const NAMED =
  /\b(?:FROM|JOIN|INTO|UPDATE|USING|TRUNCATE|TABLE)\s+(?:ONLY\s+)?(?<first>[a-z_]+|\?)(?<rest>(?:(?:\s+(?:AS\s+)?[a-z_]+)?\s*,\s*[a-z_]+\b(?!\s*\())*)/g;

/** Lists the names at the places of tables in a piece of SQL: tables, and its own subqueries. */
export function namesIn(sql: string): string[] {
  return [...sql.matchAll(NAMED)].flatMap(({ groups }) => [
    groups!.first!,
    ...[...groups!.rest!.matchAll(/,\s*([a-z_]+)/g)].map(([, name]) => name!),
  ]);
}

/** Lists the tables that a schema creates. */
export function tablesOf(schema: string): string[] {
  return [...schema.matchAll(/^CREATE TABLE (\w+)/gm)].map(([, name]) => name!);
}

/**
 * Lists every query that names a table of another module, every table without exactly one owner, and every exception that is no
 * longer needed, one sentence each. `files` maps paths from the root to sources.
 */
export function findCrossings(
  files: ReadonlyMap<string, string>,
  tables: readonly string[],
  { owners = OWNERS, crossings = CROSSINGS } = {},
): string[] {
  const faults = tables
    .map((table) => ({ table, rooms: Object.keys(owners).filter((room) => owners[room]!.includes(table)) }))
    .filter(({ rooms }) => rooms.length !== 1)
    .map(({ table, rooms }) => `${table} has ${rooms.length === 0 ? 'no owner' : `two owners: ${rooms.join(', ')}`}.`);
  for (const table of Object.values(owners).flat()) {
    if (!tables.includes(table)) faults.push(`${table} has an owner, but does not exist.`);
  }
  const met = new Set<string>();
  for (const [path, source] of files) {
    if (!path.startsWith('src/') || !path.endsWith('.ts')) continue;
    const [, first = '', second = ''] = path.replace(/\.ts$/, '').split('/');
    const room = first === 'wings' ? second : first;
    for (const name of new Set(literalsOf(source).flatMap(namesIn))) {
      if (name === '?' && !COMPUTES_NAMES.includes(path)) faults.push(`${path} computes the name of a table. Name it.`);
      if (!tables.includes(name) || owners[room]?.includes(name)) continue;
      met.add(`${path} ${name}`);
      if (crossings.some((allowed) => allowed.path === path && allowed.table === name)) continue;
      const owner = Object.keys(owners).find((other) => owners[other]!.includes(name));
      faults.push(`${path} queries ${name}, which belongs to ${owner}. Take what is needed as a value.`);
    }
  }
  for (const { path, table } of crossings) {
    if (!met.has(`${path} ${table}`)) faults.push(`${path} does not query ${table}: it need not be allowed to.`);
  }
  return faults;
}
