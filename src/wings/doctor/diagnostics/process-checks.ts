import { RELEASE } from '../../../config/release.ts';
import { readDatabaseTraits } from '../../../db/inspection.ts';
import { compareMigrations } from '../../../db/migrate.ts';
import { type Finding, good } from '../../../diagnostics/findings/finding.ts';
import { listProcesses } from '../../../membership/processes.ts';
import type { Examination } from './examination.ts';

/** The pool of a process has 16. One more listens, and the process that audits for it has two. */
const CONNECTIONS_EACH = 19;

/** Which processes of the service run, whether this version may join them, and whether the database has connections for all. */
export async function checkProcesses({
  settings,
  database,
  installation,
}: Examination): Promise<Finding | Finding[] | null> {
  const db = await database();
  if (!db || !(await installation())) return null;
  // Earlier tables do not say what the processes are.
  if ((await compareMigrations(db)).pending.length > 0) return null;
  const processes = await listProcesses(db);
  const found: Finding[] = [];
  const others = processes.filter(({ compatibility }) => compatibility !== RELEASE.compatibility);
  if (others.length > 0) {
    found.push({
      state: 'bad',
      says: `Version ${RELEASE.version} cannot run beside version ${others[0]!.version}, which runs.`,
      facts: others.map(({ host, pid, version }) => ({
        name: `Version ${version}`,
        value: `process ${pid} on ${host}`,
      })),
      remedy: { says: 'Stop these processes before you start this version.', docs: 'docs/operate/releases.md' },
    });
  }
  const { mostConnections } = await readDatabaseTraits(db);
  // Each worker is one. Before their start none of them is seen.
  const count = Math.max(processes.length, settings.workers);
  const needed = count * CONNECTIONS_EACH;
  if (mostConnections < needed) {
    found.push({
      state: mostConnections < CONNECTIONS_EACH ? 'bad' : 'warning',
      says: `The role may have ${mostConnections} connections. ${count === 1 ? 'One process needs' : `${count} processes need`} ${needed}.`,
      remedy: {
        says: 'Raise max_connections, or the limit of the role or database.',
        docs: 'docs/operate/scaling.md#add-a-process',
      },
    });
  }
  if (found.length > 0) return found;
  if (processes.length === 0) return good('No process of the service runs.');
  return good(
    processes.length === 1 ? 'One process of the service runs.' : `${processes.length} processes of the service run.`,
    processes.map(({ host, pid, version }) => ({ name: `Version ${version}`, value: `process ${pid} on ${host}` })),
  );
}
