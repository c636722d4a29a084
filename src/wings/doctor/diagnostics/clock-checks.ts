import { inTime } from '../../../base/in-time.ts';
import { readNewestBlock } from '../../../chain/state.ts';
import { readClockAhead } from '../../../db/inspection.ts';
import { type Finding, good } from '../../../diagnostics/findings/finding.ts';
import { ANSWERS_WITHIN_MS, type Examination } from './examination.ts';

/** Leases, sessions and signatures of webhooks bear small differences. */
const WARNING_MS = 2_000;
/** Many libraries refuse tokens that are further off. Webhooks are refused later, from five minutes on. */
const BAD_MS = 30_000;
/** A date in a header has whole seconds. */
const HALF_A_SECOND_MS = 500;

/** By how much another clock is ahead of ours; negative if it is behind. */
type Other = { readonly name: string; readonly aheadMs: number };

/** Compares this machine's clock with those of the database, of the chain and at PUBLIC_URL. */
export async function checkClock(examination: Examination): Promise<Finding> {
  const others = (
    await Promise.all(
      [ofDatabase(examination), ofChain(examination), ofFront(examination)].map((one) =>
        inTime(one, ANSWERS_WITHIN_MS),
      ),
    )
  ).filter((other) => other !== null);
  if (others.length === 0) return { state: 'unknown', says: 'There is no other clock to compare ours with.' };
  const facts = others.map(({ name, aheadMs }) => ({ name, value: `${spoken(aheadMs)} ours` }));
  const worst = others.reduce((most, other) => (Math.abs(other.aheadMs) > Math.abs(most.aheadMs) ? other : most));
  const difference = Math.abs(worst.aheadMs);
  if (difference <= WARNING_MS) return good('This clock agrees with the others.', facts);
  return {
    state: difference > BAD_MS ? 'bad' : 'warning',
    says: `The clock of ${worst.name} is ${spoken(worst.aheadMs)} that of this machine.`,
    facts,
    remedy: {
      says: 'Let NTP set both clocks, and see which is wrong: timedatectl.',
      docs: 'docs/operate/doctor.md#clock',
    },
  };
}

function spoken(aheadMs: number): string {
  const seconds = (Math.abs(aheadMs) / 1000).toFixed(1);
  return `${seconds} s ${aheadMs < 0 ? 'behind' : 'ahead of'}`;
}

async function ofDatabase({ database }: Examination): Promise<Other | null> {
  const db = await database();
  return db && { name: 'the database', aheadMs: await readClockAhead(db) };
}

/** A block may be old, but never from the future. */
async function ofChain({ rpc }: Examination): Promise<Other | null> {
  const head = rpc && (await readNewestBlock(rpc));
  return head && { name: 'the newest block', aheadMs: Math.max(head.minedAt.getTime() - Date.now(), 0) };
}

async function ofFront({ front, publicUrl }: Examination): Promise<Other | null> {
  const seen = await front();
  const date = seen.kind === 'answered' ? Date.parse(seen.headers.date ?? '') : Number.NaN;
  if (seen.kind !== 'answered' || Number.isNaN(date)) return null;
  return { name: new URL(publicUrl).host, aheadMs: date + HALF_A_SECOND_MS - seen.at.getTime() };
}
