/**
 * Measures what the service is said to do, each claim next to its limit: `npm run bench`. Options: `--quick` for a short look; `--only
 * <name>`, repeatable; `--runs` and `--seconds`; `--growth` adds a million accounts, twenty million postings, the migration of a million
 * transfers, a million players to find, and a million accounts to recover; `--write` puts what was measured into bench/measured.json,
 * from which `npm run generate` makes docs/benchmarks.md.
 */
import { writeFileSync } from 'node:fs';
import { audit } from './audit.ts';
import { background } from './background.ts';
import { blockProof } from './block-proof.ts';
import { callLog } from './call-log.ts';
import type { Claim } from './claim.ts';
import { commandLine } from './cli.ts';
import { counts } from './counts.ts';
import { databaseLimit } from './database-limit.ts';
import { economy } from './economy.ts';
import { emulatorForTests } from './emulator.ts';
import { findingPlayers } from './find-players.ts';
import { growth } from './growth.ts';
import { liabilities } from './liabilities.ts';
import { migration } from './migration.ts';
import { overload } from './overload.ts';
import { reads } from './reads.ts';
import { largeRecovering, recovering } from './recovering.ts';
import { MEASURED_FILE, readMeasured, withMeasured } from './report.ts';
import { measureClaims, readOptions } from './run.ts';
import { signatureLimit } from './signature-limit.ts';
import { storage } from './storage.ts';
import { strangers } from './strangers.ts';
import { packedTransfers, transfers } from './transfers.ts';
import { twoProcesses } from './two-processes.ts';
import { ways } from './ways.ts';
import { webhooks } from './webhooks.ts';
import { workers } from './workers.ts';

const CLAIMS: readonly Claim[] = [
  transfers,
  packedTransfers,
  ways,
  counts,
  storage,
  reads,
  overload,
  strangers,
  webhooks,
  twoProcesses,
  workers,
  background,
  callLog,
  audit,
  economy,
  commandLine,
  emulatorForTests,
  liabilities,
  recovering,
  largeRecovering,
  growth,
  migration,
  findingPlayers,
  databaseLimit,
  signatureLimit,
  blockProof,
];

/** A short look. */
const QUICK: readonly Claim[] = [transfers, reads, economy, databaseLimit, signatureLimit];

const options = readOptions();
const unknown = options.only.filter((name) => !CLAIMS.some((claim) => claim.name === name));
if (unknown.length > 0) throw new Error(`No claim is called ${unknown}. There are: ${CLAIMS.map(({ name }) => name)}`);
// So many rows or payments take minutes to make.
const LARGE = [recovering, largeRecovering, economy, growth, migration, findingPlayers];
const usual = options.effort.quick ? [...QUICK] : CLAIMS.filter((claim) => !LARGE.includes(claim));
if (options.growth) usual.push(...LARGE);
const chosen = options.only.length === 0 ? usual : CLAIMS.filter(({ name }) => options.only.includes(name));
const done = await measureClaims(chosen, options);
if (options.write) {
  const sections = withMeasured(readMeasured(), CLAIMS, done);
  writeFileSync(MEASURED_FILE, `${JSON.stringify(sections, null, 2)}\n`);
  console.log('Written to bench/measured.json. Run npm run generate.');
}
