import assert from 'node:assert/strict';
import { hashColumn } from '../../../src/db/columns.ts';
import { assertHoldsAreTransfers, assertLedgerIsChain } from './audit.ts';
import { openEventReader, saysPaid } from './event-reader.ts';
import type { Answer, Call } from './load-calls.ts';
import type { SoakStage } from './soak-stage.ts';

const ROWS_AT_ONCE = 50_000;
const CALLS_AT_ONCE = 16;

/** What a soak has seen. The last three are what it claims to be none. */
export type SoakFigures = {
  readonly payments: number;
  /** Answers by their kind. */
  readonly answers: Readonly<Record<Answer['outcome'], number>>;
  /** Accepted and not mined when a database was lost, and without a key: its game was told that it is not known. Paid once, if a pool had it. */
  readonly lostWithDatabase: number;
  /** Whose transaction was replaced after the answer. */
  readonly replaced: number;
  /** Calls that were sent again at the end. */
  readonly repeated: number;
  readonly events: number;
  /** Payments that a restore has read from the chain, and whose events were lost with the database. */
  readonly withoutEvents: number;
};

type Found = { readonly replaced: number };

/** Compares everything that callers know with the chain. Call it when all is settled and no load runs. */
export function openSoakAudit(stage: SoakStage) {
  const { world, client, observer, lost } = stage;
  const unknown: Call[] = [];
  let next = 0;

  /** Compares what is new since the last time with the chain, and sums of everything. */
  async function check(): Promise<void> {
    await observer.read();
    for (; next < client.calls.length; next++) {
      const call = client.calls[next]!;
      if (call.answer?.outcome === 'unknown') unknown.push(call);
      else compare(call);
    }
    assert.equal(
      observer.payments,
      client.accepted - lost.size + countUnsaid(),
      'payments on the chain, and accepted ones',
    );
    await compareDatabase();
  }

  /** Payments of which their callers do not know. */
  const countUnsaid = () => [...unknown, ...lost].filter((call) => observer.paidBy(call).length > 0).length;

  /** Throws if it is not paid as its caller was told. */
  function compare(call: Call): void {
    const { answer } = call;
    const transactions = observer.paidBy(call);
    assert.ok(answer, `${nameOf(call)} has no answer: ${call.unanswered}`);
    if (answer.outcome === 'unknown' || lost.has(call))
      assert.ok(transactions.length <= 1, `${nameOf(call)} is paid by ${transactions}`);
    else {
      const isPaid = answer.outcome === 'paid';
      const told = `${nameOf(call)}: ${JSON.stringify(answer)}, and paid by [${transactions}]`;
      assert.equal(transactions.length, isPaid ? 1 : 0, told);
    }
  }

  /** Counts and sums of the database are those of the chain. */
  async function compareDatabase(): Promise<void> {
    const { db } = await world.operator();
    const rows = await db.query<{ status: string; count: bigint }>(
      'SELECT status, count(*) FROM transfers GROUP BY status',
    );
    const issues = [...observer.issued.values()].reduce((sum, times) => sum + times, 0);
    assert.deepEqual(rows, [{ status: 'completed', count: BigInt(observer.payments + issues) }], 'transfers');
    await assertHoldsAreTransfers({ db });
    const accounts = await db.query<{ address: string; posted: bigint }>('SELECT address, posted FROM accounts');
    for (const { address, posted } of accounts)
      assert.equal(posted, BigInt(observer.balances.get(address) ?? 0), `ledger of ${address}`);
    assert.deepEqual(new Map([...observer.issued].filter(([, times]) => times > 0)), world.issued, 'what was issued');
  }

  /** Each answer, row, event and balance. */
  async function checkAll(): Promise<SoakFigures> {
    await check();
    for (const call of client.calls) compare(call);
    const { replaced } = await compareRows();
    await assertLedgerIsChain(await world.operator());
    const repeated = await repeatAll();
    const events = await compareEvents();
    // Nothing was paid by asking again.
    await world.settled();
    await check();
    const output = await world.command(['audit', '--json']);
    assert.match(output, /"differences":\s*(0|\[\])/, output);
    const answers = { paid: 0, declined: 0, refused: 0, unknown: 0 };
    for (const { answer } of client.calls) answers[answer!.outcome]++;
    return { payments: observer.payments, answers, lostWithDatabase: lost.size, replaced, repeated, ...events };
  }

  /** There is a completed transfer of each accepted call, by the transaction that the chain shows, and no other one. */
  async function compareRows(): Promise<Found> {
    const { db } = await world.operator();
    const calls = new Map<string, Call>();
    for (const call of client.calls)
      if (call.answer?.outcome === 'paid' && !lost.has(call)) calls.set(call.answer.requestId, call);
    let [replaced, others] = [0, 0];
    for (let last = '00000000-0000-0000-0000-000000000000'; ; ) {
      const rows = await db.query<Row>(
        `SELECT id, request_id AS "requestId", from_address AS "from", to_address AS "to", amount::float8 AS amount,
                ${hashColumn('tx_hash')} AS "txHash"
           FROM transfers WHERE id > $1 ORDER BY id LIMIT $2`,
        [last, ROWS_AT_ONCE],
      );
      if (rows.length === 0) break;
      last = rows.at(-1)!.id;
      for (const row of rows) {
        if (row.requestId === null) continue;
        assert.deepEqual(observer.paidBy(row), [row.txHash], `transfer ${row.id}`);
        const call = calls.get(row.requestId);
        calls.delete(row.requestId);
        if (!call) others++;
        else {
          assert.deepEqual([row.from, row.to, row.amount], [call.from, call.to, call.amount], nameOf(call));
          const { txId } = call.answer as Extract<Answer, { outcome: 'paid' }>;
          if (txId !== row.txHash) replaced++;
        }
      }
    }
    assert.equal(calls.size, 0, `no row of ${[...calls.keys()].slice(0, 5)}`);
    assert.equal(
      others,
      unknown.filter((call) => observer.paidBy(call).length > 0).length,
      'rows that nobody asked for',
    );
    return { replaced };
  }

  /** The same call with the same key gets the same answer, in either process. */
  async function repeatAll(): Promise<number> {
    let [at, repeated] = [0, 0];
    const work = async () => {
      for (; at < client.calls.length; ) {
        const call = client.calls[at++]!;
        const calls = call.batch ?? [call];
        const isRepeatable = calls.every((one) => one.answer?.outcome === 'paid' && !lost.has(one));
        if (call !== calls[0] || call.key === null || !isRepeatable) continue;
        const { origin } = stage.services[repeated++ % stage.services.length]!;
        const answers = await client.repeat(origin, call);
        for (const [i, answer] of answers.entries()) {
          const one = calls[i]!;
          const expected = { ...one.answer!, txId: observer.paidBy(one)[0] };
          assert.deepEqual(answer, expected, `${nameOf(one)} repeated: ${one.unanswered}`);
        }
      }
    };
    await Promise.all(Array.from({ length: CALLS_AT_ONCE }, work));
    return repeated;
  }

  /**
   * Who reads all events from the first on learns of each payment that it is made, as the last thing. Only what a restore has read from the
   * chain has none of the events that the lost database had.
   */
  async function compareEvents(): Promise<Pick<SoakFigures, 'events' | 'withoutEvents'>> {
    const { db } = await world.operator();
    const recovered = new Set(
      (await db.query<{ id: string }>(`SELECT id FROM requests WHERE 'recover chain' = ANY(transitions)`)).map(
        ({ id }) => id,
      ),
    );
    const apps = new Map(client.calls.map(({ app }) => [app.id, app]));
    const readers = [...apps.values()].map(openEventReader);
    for (const reader of readers) await reader.readOn(stage.services[0]!.origin);
    let withoutEvents = 0;
    for (const call of client.calls) {
      if (call.answer?.outcome !== 'paid' || lost.has(call)) continue;
      const { requestId } = call.answer;
      const said = readers.map(({ last }) => last.get(requestId)).find((type) => type !== undefined);
      if (said === undefined && recovered.has(requestId)) withoutEvents++;
      else assert.ok(saysPaid(said), `${nameOf(call)}: its last event is ${said}`);
    }
    for (const id of readers.flatMap(({ later }) => [...later]))
      assert.ok(recovered.has(id), `the first events of ${id} are missing`);
    return { events: readers.reduce((sum, { count }) => sum + count, 0), withoutEvents };
  }

  return { check, checkAll };
}

type Row = {
  readonly id: string;
  readonly requestId: string | null;
  readonly from: string;
  readonly to: string;
  readonly amount: number;
  readonly txHash: string;
};

function nameOf({ kind, amount, from, to, key }: Call): string {
  return `${kind} ${amount} from ${from} to ${to}${key === null ? ', without a key' : ''}`;
}
