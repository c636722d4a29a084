/**
 * Every statement that a transfer sends to the database, and what it would be on accounts that are distributed over several servers.
 * `docs/operate/statements.md` shows it. `test/settlement/transfer-statements.deep.test.ts` pays users on a real service, and fails if
 * there is a statement that is not listed here, or one that is listed and not sent.
 */

/**
 * `bucket`: an integer of the account that pays, which its rows carry. `reference`: a copy on every server.
 * `account`: the bucket of each account that is named. `app`: that of the app's account. `local`: on one server only.
 */
type Key = 'bucket' | 'account' | 'reference' | 'app' | 'local';

/** Whether all rows of one such statement are on one server: as it is written today, or once the change is made. */
type OneShard = 'yes' | 'after the change' | 'no';

export type TransferStatement = {
  /** The file in `src`, and the function that sends it. */
  readonly by: `${string}.ts ${string}`;
  /** Of a statement that changes rows: `writes`, also if it reads others. `locks`: row locks, or an advisory one. */
  readonly does: 'reads' | 'locks' | 'writes';
  /** In the order of the statement. */
  readonly tables: readonly string[];
  /** How many rows it touches. */
  readonly rows: string;
  readonly key: Key;
  readonly oneShard: OneShard;
  /** What would have to change for that. */
  readonly change?: string;
};

type Step = { readonly title: string; readonly statements: readonly TransferStatement[] };

const PER_BUCKET = 'Groups are made for each bucket.';
const OWN_RELAYERS = 'Each bucket has relayers of its own.';
const OWN_FOLLOWER = "Each bucket has a follower of its own, which posts its accounts' side.";
const OWN_LOOP = 'A loop for each bucket, as `takeDueDeliveries`.';
const ASKS_ALL = 'It asks every server, and holds no lock.';

export const TRANSFER_STATEMENTS: readonly Step[] = [
  {
    title: 'Before the group: statements that calls share',
    statements: [
      {
        by: 'identity/app-keys.ts SERVER_KEYS',
        does: 'reads',
        tables: ['app_keys', 'apps'],
        rows: 'a call',
        key: 'reference',
        oneShard: 'yes',
      },
      {
        by: 'idempotency/keys.ts readAnswers',
        does: 'reads',
        tables: ['idempotency_keys'],
        rows: 'a call',
        key: 'bucket',
        oneShard: 'no',
        change: 'A key carries the bucket of the payer, whom the call names. It asks the servers of the payers.',
      },
      {
        by: 'ledger/accounts.ts ACCOUNTS',
        does: 'reads',
        tables: ['accounts'],
        rows: 'two a call',
        key: 'account',
        oneShard: 'no',
        change: 'Users and apps carry the bucket of their account. It asks the servers of the accounts.',
      },
      {
        by: 'ledger/accounts.ts sealedKeys',
        does: 'reads',
        tables: ['accounts'],
        rows: 'a payer',
        key: 'bucket',
        oneShard: 'no',
        change: 'It asks the servers of its payers, and holds no lock.',
      },
    ],
  },
  {
    title: 'The group: one transaction',
    statements: [
      {
        by: 'idempotency/keys.ts takeKeys',
        does: 'writes',
        tables: ['idempotency_keys'],
        rows: 'a call',
        key: 'bucket',
        oneShard: 'after the change',
        change: `${PER_BUCKET} The primary key begins with the bucket.`,
      },
      {
        by: 'ledger/accounts.ts lockAccounts',
        does: 'locks',
        tables: ['accounts'],
        rows: 'a payer',
        key: 'bucket',
        oneShard: 'after the change',
        change: `${PER_BUCKET} The same function posts: see below.`,
      },
      {
        by: 'identity/key-caps.ts revokedAmong',
        does: 'reads',
        tables: ['app_keys'],
        rows: 'a key',
        key: 'reference',
        oneShard: 'yes',
        change: "A key's daily limit leaves this table, because a lock in a reference table holds it on every server.",
      },
      {
        by: 'ledger/accounts.ts closedAmong',
        does: 'reads',
        tables: ['accounts'],
        rows: 'a payee',
        key: 'account',
        oneShard: 'no',
        change: 'Closed accounts get a small reference table of their own. Then it is local.',
      },
      {
        by: 'chain/relayers.ts lockNextNonce',
        does: 'locks',
        tables: ['relayers'],
        rows: 'a group',
        key: 'bucket',
        oneShard: 'after the change',
        change: OWN_RELAYERS,
      },
      {
        by: 'requests/requests.ts insertApprovedRequests',
        does: 'writes',
        tables: ['requests'],
        rows: 'a transfer',
        key: 'bucket',
        oneShard: 'after the change',
        change: 'The id of a request carries its bucket, so that a call that names only the id asks one server.',
      },
      {
        by: 'ledger/accounts.ts addHolds',
        does: 'writes',
        tables: ['accounts'],
        rows: 'a payer',
        key: 'bucket',
        oneShard: 'after the change',
        change: 'The statement names the bucket. An UPDATE that joins an array is not sent to one server otherwise.',
      },
      {
        by: 'chain/relayers.ts takeNonces',
        does: 'writes',
        tables: ['relayers'],
        rows: 'a group',
        key: 'bucket',
        oneShard: 'after the change',
        change: OWN_RELAYERS,
      },
      {
        by: 'settlement/tables/transfers.ts insertTransfers',
        does: 'writes',
        tables: ['transfers'],
        rows: 'a transfer',
        key: 'bucket',
        oneShard: 'after the change',
        change: PER_BUCKET,
      },
      {
        by: 'settlement/tables/transfers.ts openTransfers',
        does: 'writes',
        tables: ['open_transfers'],
        rows: 'a transfer',
        key: 'bucket',
        oneShard: 'after the change',
        change: 'The log of the chain names the payer beside the nonce, so the bucket is known when it is looked up.',
      },
      {
        by: 'settlement/tables/transactions.ts insertTransactions',
        does: 'writes',
        tables: ['transactions'],
        rows: 'a transaction',
        key: 'bucket',
        oneShard: 'after the change',
        change: OWN_RELAYERS,
      },
      {
        by: 'idempotency/keys.ts storeAnswers',
        does: 'writes',
        tables: ['idempotency_keys'],
        rows: 'a call',
        key: 'bucket',
        oneShard: 'after the change',
        change: 'As `addHolds`.',
      },
    ],
  },
  {
    title: 'Sending',
    statements: [
      {
        by: 'settlement/tables/nonces.ts readMarks',
        does: 'reads',
        tables: ['consumed_nonces', 'broadcasts'],
        rows: 'a relayer',
        key: 'bucket',
        oneShard: 'after the change',
        change: OWN_RELAYERS,
      },
      {
        by: 'settlement/broadcast.ts readConfirmed',
        does: 'reads',
        tables: ['transactions'],
        rows: 'a transaction',
        key: 'bucket',
        oneShard: 'after the change',
        change: OWN_RELAYERS,
      },
      {
        by: 'settlement/tables/transactions.ts isStoredAttempt',
        does: 'reads',
        tables: ['transactions'],
        rows: 'a group',
        key: 'bucket',
        oneShard: 'after the change',
        change: OWN_RELAYERS,
      },
      {
        by: 'settlement/tables/transactions.ts lowestStoredNonce',
        does: 'reads',
        tables: ['transactions'],
        rows: 'a relayer',
        key: 'bucket',
        oneShard: 'after the change',
        change: OWN_RELAYERS,
      },
      {
        by: 'settlement/tables/nonces.ts sentLongAgo',
        does: 'reads',
        tables: ['broadcasts'],
        rows: 'a relayer',
        key: 'bucket',
        oneShard: 'after the change',
        change: OWN_RELAYERS,
      },
      {
        by: 'chain/relayers.ts nextNonce',
        does: 'reads',
        tables: ['relayers'],
        rows: 'a relayer',
        key: 'bucket',
        oneShard: 'after the change',
        change: OWN_RELAYERS,
      },
      {
        by: 'settlement/tables/nonces.ts recordBroadcast',
        does: 'writes',
        tables: ['broadcasts'],
        rows: 'a batch',
        key: 'bucket',
        oneShard: 'after the change',
        change: `${OWN_RELAYERS} The time is a parameter: Citus refuses clock_timestamp() in an UPDATE.`,
      },
    ],
  },
  {
    title: 'Posting a chunk of a block: one transaction',
    statements: [
      {
        by: 'ledger/blocks.ts lockFollowing',
        does: 'locks',
        tables: [],
        rows: 'an advisory lock',
        key: 'bucket',
        oneShard: 'no',
        change: 'An advisory lock is of one server. A row for each bucket takes its place.',
      },
      {
        by: 'ledger/blocks.ts readCursor',
        does: 'reads',
        tables: ['blocks'],
        rows: 'a chunk',
        key: 'bucket',
        oneShard: 'after the change',
        change: OWN_FOLLOWER,
      },
      {
        by: 'ledger/blocks.ts storeBlock',
        does: 'writes',
        tables: ['blocks'],
        rows: 'a chunk',
        key: 'bucket',
        oneShard: 'after the change',
        change: OWN_FOLLOWER,
      },
      {
        by: 'ledger/postings.ts insertPostings',
        does: 'writes',
        tables: ['postings', 'accounts'],
        rows: 'a log',
        key: 'account',
        oneShard: 'no',
        change: 'A posting becomes two, one in the bucket of the payer and one in that of the payee. Each is local.',
      },
      {
        by: 'settlement/tables/transfer-transitions.ts findSettled',
        does: 'reads',
        tables: ['broadcasts', 'transfers', 'open_transfers'],
        rows: 'a transfer',
        key: 'bucket',
        oneShard: 'after the change',
        change: OWN_FOLLOWER,
      },
      {
        by: 'settlement/tables/transfer-transitions.ts settleTransfers',
        does: 'writes',
        tables: ['open_transfers'],
        rows: 'a transfer',
        key: 'bucket',
        oneShard: 'after the change',
        change: OWN_FOLLOWER,
      },
      {
        by: 'settlement/tables/transfer-transitions.ts settleTransfers',
        does: 'writes',
        tables: ['transfers'],
        rows: 'a transfer',
        key: 'bucket',
        oneShard: 'after the change',
        change: OWN_FOLLOWER,
      },
      {
        by: 'requests/transitions.ts storeTransitions',
        does: 'locks',
        tables: ['requests'],
        rows: 'a transfer',
        key: 'bucket',
        oneShard: 'after the change',
        change: OWN_FOLLOWER,
      },
      {
        by: 'requests/transitions.ts storeTransitions',
        does: 'writes',
        tables: ['requests'],
        rows: 'a transfer',
        key: 'bucket',
        oneShard: 'after the change',
        change: OWN_FOLLOWER,
      },
      {
        by: 'webhooks/events.ts insertEvents',
        does: 'writes',
        tables: ['events', 'event_clock', 'deliveries', 'webhook_endpoints'],
        rows: 'a transfer',
        key: 'bucket',
        oneShard: 'after the change',
        change:
          "An event's position is a number of one server's transactions. A reader's place becomes one position for each server.",
      },
      {
        by: 'settlement/tables/nonces.ts setConsumedNonces',
        does: 'writes',
        tables: ['consumed_nonces'],
        rows: 'a relayer',
        key: 'bucket',
        oneShard: 'after the change',
        change: OWN_RELAYERS,
      },
      {
        by: 'ledger/orphaned-deposits.ts recordReturned',
        does: 'writes',
        tables: ['orphaned_deposits'],
        rows: 'an account',
        key: 'account',
        oneShard: 'after the change',
        change: OWN_FOLLOWER,
      },
      {
        by: 'ledger/postings.ts change',
        does: 'writes',
        tables: ['accounts', 'balance_hours'],
        rows: 'an account',
        key: 'account',
        oneShard: 'no',
        change: `Payers and payees are of all buckets. ${OWN_FOLLOWER} Then it is local.`,
      },
    ],
  },
  {
    title: 'The webhook',
    statements: [
      {
        by: 'webhooks/deliveries.ts takeDueDeliveries',
        does: 'writes',
        tables: ['deliveries', 'webhook_endpoints'],
        rows: 'a delivery',
        key: 'bucket',
        oneShard: 'after the change',
        change: 'A loop for each bucket: SKIP LOCKED and a recursive query work on one server only.',
      },
      {
        by: 'webhooks/events.ts findEvents',
        does: 'reads',
        tables: ['events'],
        rows: 'a delivery',
        key: 'bucket',
        oneShard: 'after the change',
        change: OWN_LOOP,
      },
      {
        by: 'views/webhooks/event-data.ts withData',
        does: 'reads',
        tables: ['transfers', 'broadcasts', 'requests'],
        rows: 'a delivery',
        key: 'bucket',
        oneShard: 'after the change',
        change: OWN_LOOP,
      },
      {
        by: 'webhooks/deliveries.ts markDelivered',
        does: 'writes',
        tables: ['deliveries'],
        rows: 'a delivery',
        key: 'bucket',
        oneShard: 'after the change',
        change: `${OWN_LOOP} The time is a parameter.`,
      },
    ],
  },
  {
    title: 'Beside it: sent all the time',
    statements: [
      {
        by: 'call-log/calls.ts storeCalls',
        does: 'writes',
        tables: ['api_calls', 'api_call_hours'],
        rows: 'a call',
        key: 'app',
        oneShard: 'after the change',
        change: 'Rows of several apps come in one transaction. It becomes one for each server.',
      },
      {
        by: 'membership/processes.ts renewWorking',
        does: 'writes',
        tables: ['processes'],
        rows: 'a process',
        key: 'local',
        oneShard: 'yes',
        change: 'Without that server nobody sees who lives, so it has a standby as today.',
      },
      {
        by: 'chain/relayers.ts renewLeases',
        does: 'writes',
        tables: ['relayers'],
        rows: 'a relayer',
        key: 'bucket',
        oneShard: 'after the change',
        change: `${OWN_RELAYERS} The time is a parameter.`,
      },
      {
        by: 'chain/relayers.ts readNextNonces',
        does: 'reads',
        tables: ['relayers'],
        rows: 'a relayer',
        key: 'bucket',
        oneShard: 'no',
        change: ASKS_ALL,
      },
      {
        by: 'settlement/tables/transfers.ts countOpenTransfers',
        does: 'reads',
        tables: ['open_transfers'],
        rows: 'counted up to a limit',
        key: 'bucket',
        oneShard: 'no',
        change: ASKS_ALL,
      },
      {
        by: 'ledger/suspension.ts readSuspension',
        does: 'reads',
        tables: ['suspension'],
        rows: 'none',
        key: 'local',
        oneShard: 'yes',
      },
    ],
  },
];

/** Names a statement as the list and its test know it. */
export function statementName({
  by,
  does,
  tables,
}: Pick<TransferStatement, 'does' | 'tables'> & { by: string }): string {
  return `${by} ${does} ${tables.join(', ') || 'nothing'}`;
}

/** The list as tables of Markdown, one for each step. */
export function statementTables(): string {
  return TRANSFER_STATEMENTS.flatMap(({ title, statements }) => [
    `### ${title}`,
    '',
    '| Statement of | | Tables | Rows: one for | Key | One server? | What would have to change |',
    '|---|---|---|---|---|---|---|',
    ...statements.map(({ by, does, tables, rows, key, oneShard, change = '' }) => {
      const [file, name] = by.split(' ');
      return `| \`${name}\` (\`${file}\`) | ${does} | ${tables.join(', ')} | ${rows} | ${key} | ${oneShard} | ${change} |`;
    }),
    '',
  ])
    .join('\n')
    .trimEnd();
}
