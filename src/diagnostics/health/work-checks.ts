import { inTime } from '../../base/in-time.ts';
import { readSaid, type Said } from '../../membership/processes.ts';
import type { Service } from '../../service/service.ts';
import { saidOf } from '../../settlement/said.ts';
import { type Finding, good } from '../findings/finding.ts';
import { ageOf } from '../findings/spoken-age.ts';

/** What a loop does for payments, where its name does not say it. Such a loop stops them. */
const PAYING: Readonly<Record<string, string>> = {
  attach: 'Checking the chain',
  follow: 'Following the chain',
  broadcast: 'Sending transactions',
  recover: 'Comparing transactions with the chain',
};

/** What the processes of the service say of their work: this one, if it is one of them, and those beside it, as far as the database answers. */
export async function saidByService(
  service: Pick<Service, 'db' | 'self' | 'loopFaults' | 'readiness'>,
): Promise<Said[]> {
  const said = new Map(await inTime(readSaid(service.db)));
  if (said.size === 0 || said.has(service.self.id)) said.set(service.self.id, saidOf(service));
  return [...said.values()];
}

/** Whether the loops of the service do their work. */
export async function checkWork(service: Service): Promise<Finding> {
  const troubles = (await saidByService(service)).flatMap((said) => said.troubles ?? []);
  if (troubles.length === 0) return good('All of the background work is done.');
  const [worst] = troubles.toSorted((a, b) => Number(b.of in PAYING) - Number(a.of in PAYING));
  const { of, since, reason } = worst!;
  const facts = troubles.map((trouble) => ({
    name: `${nameOf(trouble.of)}, for ${ageOf(Date.now() - Date.parse(trouble.since))}`,
    value: trouble.reason,
  }));
  const isPaying = of in PAYING;
  return {
    state: isPaying ? 'bad' : 'warning',
    says: `${nameOf(of)} has failed for ${ageOf(Date.now() - Date.parse(since))}${isPaying ? ', so payments wait' : ''}: ${reason}`,
    facts,
    remedy: { says: 'See what the reason says.', docs: 'docs/operate/runbook.md#quartersloopfails' },
  };
}

const nameOf = (loop: string): string => PAYING[loop] ?? `The loop "${loop}"`;
