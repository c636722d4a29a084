import { LOWEST_ID, type TransferId } from '../../base/ids.ts';
import { inTime } from '../../base/in-time.ts';
import { withThousands } from '../../base/quarters.ts';
import { readCursor } from '../../ledger/blocks.ts';
import { readSuspension } from '../../ledger/suspension.ts';
import { countLeftToMove } from '../../ledger/sweeps.ts';
import { listProcesses, type RunningProcess } from '../../membership/processes.ts';
import type { Service } from '../../service/service.ts';
import { countOnTheirWay } from '../../settlement/backlog.ts';
import { isNewest } from '../../settlement/may-act.ts';
import { readOpenAges } from '../../settlement/tables/open-ages.ts';
import { type Completing, isStandstill, readCompleting } from '../../settlement/tables/standstill.ts';
import { listStranded } from '../../settlement/tables/transfer-transitions.ts';
import { readVouchedHeader } from '../../settlement/vouch.ts';
import { type Finding, good, type HealthFact } from '../findings/finding.ts';
import { ageOf } from '../findings/spoken-age.ts';
import { NODE_LIMIT_MS } from './chain-checks.ts';

/** In seconds. A transfer older than the third is worth a look, and a fault if blocks were mined meanwhile. Older than the fourth it always is. */
const AGES = [0, 60, 600, 3_600];
const AGE_NAMES = ['Under a minute', 'A minute and more', 'Ten minutes and more', 'An hour and more'];
const MOST_COUNTED = 100_000;
/** A transfer without a transaction gets a new one within seconds, unless none can pay it. */
const STRANDED_MS = 5 * 60_000;
const MOST_STRANDED = 100;
const MOST_HOSTS = 5;
const UPGRADE_TAKES_MS = 15 * 60_000;

/** How many processes of the service run, and whether they accept payments. */
export async function checkService({ db, isStalled, readiness }: Service): Promise<Finding> {
  const [processes, suspension] = await Promise.all([listProcesses(db), readSuspension(db)]);
  const facts = [{ name: 'Processes', value: `${processes.length}` }, ...versionsOf(processes)];
  if (suspension) {
    return {
      state: 'bad',
      says: 'Payments are suspended: the database is older than the chain.',
      facts: [...facts, { name: 'Since', value: suspension.since.toISOString() }],
      remedy: {
        says: 'Restore a newer copy of the database, or read from the chain what is missing.',
        command: 'quarters restore',
        docs: 'docs/operate/runbook.md#quarterspaymentssuspended',
      },
    };
  }
  if (processes.length === 0) {
    const remedy = {
      says: 'Start the service.',
      command: 'quarters start',
      docs: 'docs/operate/runbook.md#quartersdown',
    };
    return {
      state: 'bad',
      says: 'No process of the service runs. Nothing is accepted, sent or followed.',
      facts,
      remedy,
    };
  }
  if (readiness.moving) {
    const left = await countLeftToMove(db);
    return {
      state: 'bad',
      says: 'No payment is accepted while quarters move to new addresses.',
      facts: [
        ...facts,
        {
          name: 'Left to move',
          value: `${withThousands(left.quarters)} quarters of ${withThousands(BigInt(left.accounts))} accounts`,
        },
      ],
      remedy: {
        says: 'It ends by itself. If the number does not fall, see the relayers and the oldest transfer below.',
        command: 'quarters custody status',
        docs: 'docs/operate/custody.md#when-the-seed-is-known',
      },
    };
  }
  if (isStalled()) {
    const remedy = {
      says: 'See whether the database is slow or full.',
      docs: 'docs/operate/runbook.md#quartersdatabasedown',
    };
    return { state: 'bad', says: 'Accepting is stuck: the database does not commit.', facts, remedy };
  }
  if (!isNewest(readiness)) {
    return {
      state: 'warning',
      says: 'Payments wait until the database is compared with the chain, for which the node has to answer.',
      facts,
    };
  }
  if (isMixedForLong(processes)) {
    const remedy = {
      says: 'Finish the upgrade: replace the processes of the earlier version.',
      docs: 'docs/operate/releases.md#upgrade',
    };
    return {
      state: 'warning',
      says: 'An upgrade has stopped half-way: processes of different versions run.',
      facts,
      remedy,
    };
  }
  return good('Payments are accepted.', facts);
}

/** Where the processes of each version run. */
function versionsOf(processes: readonly RunningProcess[]): HealthFact[] {
  const byVersion = Map.groupBy(processes, ({ version }) => version);
  return [...byVersion].map(([version, those]) => {
    const hosts = [...new Set(those.map(({ host }) => host))];
    const named = hosts.slice(0, MOST_HOSTS).join(', ');
    const others = hosts.length > MOST_HOSTS ? ` and ${hosts.length - MOST_HOSTS} others` : '';
    return { name: `Version ${version}`, value: `${those.length} on ${named}${others}` };
  });
}

/** Whether an upgrade has stopped half-way: processes of several versions run, and none of them is new. */
function isMixedForLong(processes: readonly RunningProcess[]): boolean {
  if (new Set(processes.map(({ version }) => version)).size < 2) return false;
  return processes.every(({ startedAt, seenAt }) => seenAt.getTime() - startedAt.getTime() > UPGRADE_TAKES_MS);
}

/** As in the alert `QuartersBacklogFull`. */
const NEARLY_FULL = 0.8;

/** How much waits for the chain, next to what may wait. */
export async function checkBacklog({ db, settings, admission }: Service): Promise<Finding> {
  const { approved, submitted, signed, sent } = await countOnTheirWay(db);
  const open = signed + sent;
  const { maxBacklog } = settings;
  const facts = [
    { name: 'Transfers', value: `${approved} accepted, ${submitted} at a node` },
    { name: 'Transactions', value: `${signed} signed, ${sent} at a node; at most ${maxBacklog} (MAX_BACKLOG)` },
  ];
  if (open < NEARLY_FULL * admission.limit) return good('There is room for new transfers.', facts);
  return {
    state: open < maxBacklog ? 'warning' : 'bad',
    says:
      open < maxBacklog
        ? 'About as much waits as the next blocks settle. Above that, new transfers of the apps with the most are refused with 503.'
        : 'The backlog is full. New transfers are refused with 503.',
    facts,
    remedy: {
      says: 'Pack more transfers into a transaction, or add relayers.',
      docs: 'docs/operate/runbook.md#quartersbacklogfull',
    },
  };
}

/** How long transfers have been on their way, and whether any has nothing left that could pay it. */
export async function checkTransfers(service: Service): Promise<Finding> {
  const { db } = service;
  const [{ counts, oldest, isPart }, stranded, completing] = await Promise.all([
    readOpenAges(db, AGES, MOST_COUNTED),
    listStranded(db, LOWEST_ID, MOST_STRANDED),
    readCompleting(db, service.settings),
  ]);
  if (!oldest) return good('No transfer is on its way.');
  const facts: HealthFact[] = [
    ...counts.map((count, i) => ({ name: AGE_NAMES[i]!, value: `${count}${isPart ? ' of those counted' : ''}` })),
    transferFact('Oldest', oldest.id, oldest.acceptedAt),
  ];
  const now = Date.now();
  const stuck = stranded.filter(({ createdAt }) => now - createdAt.getTime() > STRANDED_MS);
  if (stuck.length > 0) {
    const [first] = stuck;
    return {
      state: 'bad',
      says: `${stuck.length} ${stuck.length === 1 ? 'transfer has' : 'transfers have'} no transaction that can pay: the payer lacks the quarters, or the token refuses.`,
      facts: [...facts, transferFact('First of these', first!.id, first!.createdAt)],
      remedy: stuckRemedy(first!.id),
    };
  }
  if (isStandstill(completing)) return standingStill(completing, oldest.id, facts);
  const age = now - oldest.acceptedAt.getTime();
  if (age < AGES[2]! * 1000) return good('Transfers complete in time.', facts);
  const isBad = age >= AGES[3]! * 1000 || (await hasChainGoneOn(service, oldest.acceptedAt));
  return {
    state: isBad ? 'bad' : 'warning',
    says: `A transfer has been on its way for ${ageOf(age)}.`,
    facts,
    remedy: stuckRemedy(oldest.id),
  };
}

function standingStill(
  { waitedMs, usualMs, isFirst }: Completing,
  id: TransferId,
  facts: readonly HealthFact[],
): Finding {
  const usual = isFirst ? 'None has completed so far.' : `They usually take ${ageOf(Math.max(usualMs, 1_000))}.`;
  return {
    state: 'bad',
    says: `Transfers wait, and none has completed for ${ageOf(waitedMs)}. ${usual}`,
    facts,
    remedy: {
      says: 'What stops all of them is said by the background work, the node or the relayers. If these are good, look at the oldest one.',
      command: `quarters transfers show ${id}`,
      docs: 'docs/operate/runbook.md#quartersnothingcompletes',
    },
  };
}

function transferFact(name: string, id: TransferId, acceptedAt: Date): HealthFact {
  return { name, value: `${ageOf(Date.now() - acceptedAt.getTime())} old`, about: { kind: 'transfer', id, label: id } };
}

const stuckRemedy = (id: TransferId) => ({
  says: 'Look at this transfer. It is paid once, or can be cancelled.',
  command: `quarters transfers show ${id}`,
  docs: 'docs/operate/runbook.md#quarterstransfersstuck',
});

/** Whether blocks that are followed were mined so long after a moment that what was accepted then should be in one. */
async function hasChainGoneOn(service: Service, since: Date): Promise<boolean> {
  const cursor = await readCursor(service.db);
  const header = cursor && (await inTime(readVouchedHeader(service, cursor.number), NODE_LIMIT_MS));
  return header ? header.minedAt.getTime() - since.getTime() >= AGES[2]! * 1000 : false;
}
