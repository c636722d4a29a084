/**
 * `npm run soak -- --rounds 500 --seed 7` repeatedly kills the service with SIGKILL at random moments under load. After each
 * kill it compares the answers that clients got, the API, the database and the chain.
 *
 * It exits with 0 if all agree, and with 1 at the first difference, naming the seed. It brings its own PostgreSQL and chain,
 * which outlive the service.
 */
import { parseArgs } from 'node:util';
import { crashRounds } from '../test/kit/service/crash-rounds.ts';
import { openWorld } from '../test/kit/service/crash-world.ts';
import { inDatabase, onServer, startTestPostgres, TEMPLATE } from '../test/kit/service/postgres.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    seconds: { type: 'string' },
    processes: { type: 'string', default: '1' },
  },
});
const rounds = Number(values.rounds);
const seed = Number(values.seed);
const processes = Number(values.processes);
const deadline = values.seconds === undefined ? Number.POSITIVE_INFINITY : Date.now() + Number(values.seconds) * 1000;
if (!(rounds > 0) || !(processes > 0) || !Number.isInteger(seed) || Number.isNaN(deadline)) {
  console.error('Usage: npm run soak -- [--rounds 100] [--seed 1] [--seconds 600] [--processes 1]');
  process.exit(2);
}

const began = Date.now();
let done = 0;
const postgres = await startTestPostgres();
try {
  await onServer(postgres.url, `CREATE DATABASE soak TEMPLATE ${TEMPLATE}`);
  const world = await openWorld(inDatabase(postgres.url, 'soak'), { env: { RELAYERS: `${2 * processes}` } });
  try {
    const { accepted, onChain, refused, declined, asked } = await crashRounds(world, {
      seed,
      processes,
      goOn: (sofar) => sofar < rounds && Date.now() < deadline,
      report(round) {
        done = round.number;
        console.log(
          `round ${round.number}: ${round.killed} killed after ${round.loadMs} ms${round.twice ? ', one more while healing' : ''}, ` +
            `${round.unanswered} without an answer (${round.replayed} of them already accepted), ` +
            `settled after ${round.settledMs} ms; ${round.figures.onChain} of ${round.figures.accepted} on the chain exactly once`,
        );
      },
    });
    console.log(
      `\n${done} rounds in ${Math.round((Date.now() - began) / 1000)} s, seed ${seed}: ` +
        `${onChain} of ${accepted} accepted transfers on the chain exactly once; ` +
        `none of ${refused} refused and ${declined} declined is; ${asked} calls in all.`,
    );
  } finally {
    await world.close();
  }
} catch (error) {
  console.error(error);
  console.error(
    `\nFailed in round ${done + 1}. To repeat: npm run soak -- --processes ${processes} --seed ${seed} --rounds ${done + 1}`,
  );
  process.exitCode = 1;
} finally {
  await postgres.stop();
}
