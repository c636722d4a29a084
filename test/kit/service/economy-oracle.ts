import { ZERO_ADDRESS } from '../../../src/base/address.ts';
import type { Database } from '../../../src/db/database.ts';
import { PERIOD_KINDS, periodAt } from '../../../src/wings/economy/base/periods.ts';

// Counts the whole ledger from its first posting, log by log: what the economy's tables must say after any number of bites.

type Log = {
  readonly block: number;
  readonly tx: string;
  readonly from: string;
  readonly to: string;
  readonly amount: number;
  readonly at: string | null;
};
type Sent = {
  readonly block: number;
  readonly tx: string;
  readonly from: string;
  readonly to: string;
  readonly amount: number;
  readonly source: string | null;
  readonly player: string | null;
};
type Owner = { readonly address: string; readonly kind: string; readonly app: string | null };
type Payer = { last: Date; sums: Map<string, { starts: string; count: number; amount: number }> };

/** Rows of the tables as text, sorted. */
export type EconomyRows = Readonly<Record<'flows' | 'newPayers' | 'payers' | 'tops', readonly string[]>>;

const PARTIES: Readonly<Record<string, string>> = {
  user: 'player',
  recovered: 'player',
  external: 'outside',
  app: 'app',
  treasury: 'treasury',
};
const STEPS = { hour: 13, day: 10, month: 7 } as const;

export async function countEverything({ query }: Database): Promise<EconomyRows> {
  const [read] = await query<{ logs: Log[]; sent: Sent[]; owners: Owner[] }>(
    `SELECT (SELECT coalesce(json_agg(json_build_object('block', block_number, 'tx', tx_hash, 'from', from_address, 'to', to_address,
               'amount', amount, 'at', posted_at) ORDER BY block_number, log_index), '[]') FROM postings
              WHERE block_number <= (SELECT max(number) FROM blocks WHERE complete)) AS logs,
            (SELECT coalesce(json_agg(json_build_object('block', decided_block, 'tx', tx_hash, 'from', transfers.from_address,
               'to', transfers.to_address, 'amount', transfers.amount, 'source', source, 'player', requests.from_address)), '[]')
               FROM transfers LEFT JOIN requests ON requests.id = request_id WHERE transfers.status = 'completed') AS sent,
            (SELECT json_agg(json_build_object('address', address, 'kind', kind, 'app', app_id)) FROM accounts) AS owners`,
  );
  const count = new Count(read!.owners, read!.sent);
  const logs = read!.logs;
  let at = new Date(0);
  for (const block of new Set(logs.map((log) => log.block))) {
    const own = logs.filter((log) => log.block === block);
    const seen = Math.min(...own.map((log) => (log.at === null ? Number.POSITIVE_INFINITY : Date.parse(log.at))));
    if (Number.isFinite(seen) && seen > at.getTime()) at = new Date(seen);
    for (const log of own) if (log.amount > 0) count.add(log, at);
  }
  return count.rows();
}

class Count {
  readonly #owners: Map<string, Owner>;
  readonly #sent: Sent[];
  readonly #flows = new Map<string, [count: number, amount: number]>();
  readonly #newPayers = new Map<string, Record<string, number>>();
  readonly #payers = new Map<string, Payer>();
  /** What each has paid in each period. */
  readonly #paid = new Map<string, { count: number; amount: number }>();

  constructor(owners: readonly Owner[], sent: readonly Sent[]) {
    this.#owners = new Map(owners.map((owner) => [owner.address, owner]));
    this.#sent = [...sent];
  }

  add(log: Log, at: Date): void {
    const [from, to] = [this.#owner(log.from), this.#owner(log.to)];
    const place = this.#sent.findIndex(
      (sent) =>
        sent.block === log.block &&
        sent.tx === log.tx &&
        sent.from === log.from &&
        sent.to === log.to &&
        sent.amount === log.amount,
    );
    const [sent] = place < 0 ? [] : this.#sent.splice(place, 1);
    // Nobody outside pays by a transfer of ours.
    const kind =
      sent && from.party !== 'outside' ? kindOfTransfer(sent, from.party, to.party) : kindOfLog(from.party, to.party);
    if (from.app && to.app && from.app !== to.app) {
      this.#addFlow(at, [from.app, kind, 'app', 'other-app'], log.amount);
      this.#addFlow(at, [to.app, kind, 'other-app', 'app'], log.amount);
    } else this.#addFlow(at, [from.app || to.app, kind, from.party, to.party], log.amount);
    if (!sent?.player || (kind !== 'payment' && kind !== 'reward')) return;
    for (const app of ['', to.app]) this.#addPayer(at, app, sent.player, log.amount);
  }

  #owner(address: string): { party: string; app: string } {
    if (address === ZERO_ADDRESS) return { party: 'none', app: '' };
    const { kind, app } = this.#owners.get(address)!;
    return { party: PARTIES[kind]!, app: app ?? '' };
  }

  #addFlow(at: Date, key: readonly string[], amount: number): void {
    for (const [step, length] of Object.entries(STEPS)) {
      const name = [step, at.toISOString().slice(0, length), ...key].join(' ');
      const [count, sum] = this.#flows.get(name) ?? [0, 0];
      this.#flows.set(name, [count + 1, sum + amount]);
    }
  }

  #addPayer(at: Date, app: string, payer: string, amount: number): void {
    const key = `${app} ${payer}`;
    const row: Payer = this.#payers.get(key) ?? { last: at, sums: new Map() };
    row.last = at;
    for (const kind of PERIOD_KINDS) {
      const starts = dayOf(periodAt(kind, at).from);
      if (app === '' || kind === 'month' || kind === 'year') {
        const place = [kind, starts, app, payer].join(' ');
        const paid = this.#paid.get(place) ?? { count: 0, amount: 0 };
        this.#paid.set(place, { count: paid.count + 1, amount: paid.amount + amount });
      }
      const sum = row.sums.get(kind);
      if (sum?.starts === starts) row.sums.set(kind, { starts, count: sum.count + 1, amount: sum.amount + amount });
      else {
        row.sums.set(kind, { starts, count: 1, amount });
        for (const [step, length] of Object.entries(STEPS)) {
          const name = [step, at.toISOString().slice(0, length), app].join(' ');
          const added = this.#newPayers.get(name) ?? { day: 0, week: 0, month: 0, year: 0 };
          added[kind]!++;
          this.#newPayers.set(name, added);
        }
      }
    }
    this.#payers.set(key, row);
  }

  /** The first of each period, app by app. */
  #tops(): string[] {
    const ofPlace = Map.groupBy(this.#paid, ([key]) => key.slice(0, key.lastIndexOf(' ')));
    return [...ofPlace].flatMap(([place, paid]) => {
      const rows = paid.map(([key, sums]) => ({ payer: key.slice(place.length + 1), ...sums }));
      rows.sort((a, b) => b.amount - a.amount || (a.payer < b.payer ? -1 : 1));
      const most = place.endsWith(' ') ? 100 : 20;
      return rows.slice(0, most).map(({ payer, count, amount }) => [place, payer, count, amount].join(' '));
    });
  }

  rows(): EconomyRows {
    const sumsOf = ({ sums }: Payer) => PERIOD_KINDS.flatMap((kind) => [sums.get(kind)!.count, sums.get(kind)!.amount]);
    return {
      flows: [...this.#flows].map(([key, sums]) => [key, ...sums].join(' ')).sort(),
      newPayers: [...this.#newPayers].map(([key, added]) => [key, ...Object.values(added)].join(' ')).sort(),
      payers: [...this.#payers].map(([key, row]) => [key, dayOf(row.last), ...sumsOf(row)].join(' ')).sort(),
      tops: this.#tops().sort(),
    };
  }
}

const dayOf = (date: Date) => date.toISOString().slice(0, 10);

function kindOfTransfer({ source }: Sent, from: string, to: string): string {
  if (source === null) {
    if (from === 'treasury') return 'issue';
    if (to === 'treasury') return 'return';
    if (to === 'player') return from === 'app' ? 'payout' : 'merge';
    return from === 'player' && to === 'app' ? 'payment' : 'withdrawal';
  }
  if (source !== 'user') return source;
  return from === 'treasury' ? 'reward' : 'payment';
}

function kindOfLog(from: string, to: string): string {
  if (from === 'none') return 'mint';
  if (to === 'none') return 'burn';
  if (from !== 'outside') return 'unexplained';
  return to === 'outside' ? 'outside' : 'deposit';
}

/** The economy's tables in the same form, without rows that came to nothing. */
export async function readEconomyRows({ query }: Database): Promise<EconomyRows> {
  const start = `to_char(starts AT TIME ZONE 'UTC', CASE step WHEN 'hour' THEN 'YYYY-MM-DD"T"HH24' WHEN 'day' THEN 'YYYY-MM-DD' ELSE 'YYYY-MM' END)`;
  const rows = await query<{ name: keyof EconomyRows; text: string }>(
    `SELECT 'flows' AS name, concat_ws(' ', step, ${start}, app_id, kind, from_party, to_party, count, amount) AS text
       FROM economy_flows WHERE count <> 0 OR amount <> 0
     UNION ALL SELECT 'newPayers', concat_ws(' ', step, ${start}, app_id, of_day, of_week, of_month, of_year)
       FROM economy_new_payers WHERE of_day <> 0 OR of_week <> 0 OR of_month <> 0 OR of_year <> 0
     UNION ALL SELECT 'payers', concat_ws(' ', app_id, payer, last_day, day_count, day_amount, week_count, week_amount, month_count,
                                          month_amount, year_count, year_amount) FROM economy_payers
     UNION ALL SELECT 'tops', concat_ws(' ', period, starts, app_id, payer, count, amount) FROM economy_tops`,
  );
  const of = (name: keyof EconomyRows) => rows.flatMap((row) => (row.name === name ? [row.text] : [])).sort();
  return { flows: of('flows'), newPayers: of('newPayers'), payers: of('payers'), tops: of('tops') };
}
