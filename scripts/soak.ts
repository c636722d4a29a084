/**
 * `npm run soak -- --rounds 500 --seed 7` kills the service with SIGKILL at random moments under load. `npm run soak -- --million` drives a
 * million payments through a thousand faults of all kinds: kills, lost replies, lying nodes, reorganisations, failovers, lost databases, moved
 * clocks. Both compare the answers that clients got, the API, the database and the chain.
 *
 * It exits with 0 if all agree, and with 1 at the first difference, naming the seed and the fault. It brings its own PostgreSQL and chain,
 * which outlive the service.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type SoakPlan, type Struck, soak } from '../test/kit/service/soak.ts';
import { KILLS, SOAK_FAULTS } from '../test/kit/service/soak-faults.ts';

const PAYMENTS_A_ROUND = 50;
const REPORTED_TOGETHER = 10;

const { values } = parseArgs({
  options: {
    million: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '100' },
    faults: { type: 'string' },
    payments: { type: 'string' },
    seed: { type: 'string', default: '1' },
    processes: { type: 'string' },
    verbose: { type: 'boolean', default: false },
    json: { type: 'string' },
  },
});
const faults = Number(values.faults ?? (values.million ? 1_000 : values.rounds));
const payments = Number(values.payments ?? (values.million ? 1_000_000 : faults * PAYMENTS_A_ROUND));
const processes = Number(values.processes ?? (values.million ? 2 : 1));
const seed = Number(values.seed);
if (!(faults > 0) || !(payments > 0) || !(processes > 0) || !Number.isInteger(seed)) {
  console.error(
    'Usage: npm run soak -- [--rounds 100] [--million] [--faults 1000] [--payments 1000000] [--seed 1] [--processes 1] [--verbose] [--json <file>]',
  );
  process.exit(2);
}

const began = performance.now();
let unsaid: Struck[] = [];

function report(struck: Struck): void {
  unsaid.push(struck);
  if (values.verbose) console.log(`${struck.number}. ${struck.name}: ${struck.what}; healed after ${struck.ms} ms`);
  if (unsaid.length < REPORTED_TOGETHER && !struck.checked && struck.number < faults) return;
  const seconds = (performance.now() - began) / 1000;
  const kinds = [...new Set(unsaid.map(({ name }) => name))].join('; ');
  console.log(
    `${struck.number} faults, ${struck.accepted} payments accepted, after ${Math.round(seconds)} s (${Math.round(struck.accepted / seconds)}/s)` +
      `${struck.checked ? ', all compared' : ''}${values.verbose ? '' : `: ${kinds}`}`,
  );
  unsaid = [];
}

const ends: (() => Promise<void>)[] = [];
const ending = { after: (end: () => Promise<void>) => void ends.push(end) };
const plan: SoakPlan = {
  ...{ seed, faults, payments, processes, report },
  catalogue: values.million ? SOAK_FAULTS : KILLS,
  checkEvery: values.million ? 20 : 1,
};
try {
  const result = await soak(ending, plan);
  const summary = { seed, date: new Date().toISOString(), lost: 0, doubled: 0, wrongAnswers: 0, ...result };
  if (values.json) writeFileSync(values.json, `${JSON.stringify(summary, null, 2)}\n`);
  console.log('\n%o\n0 lost, 0 doubled, 0 wrong answers.', summary);
} catch (error) {
  console.error(error);
  const again = `${values.million ? '--million ' : ''}--processes ${processes} --seed ${seed} --faults ${faults} --payments ${payments}`;
  console.error(`\nTo repeat: npm run soak -- ${again}`);
  process.exitCode = 1;
} finally {
  for (const end of ends.reverse()) await end();
}
