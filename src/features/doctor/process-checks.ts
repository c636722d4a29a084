import { readDatabaseTraits } from '../../db/inspection.ts';
import { countProcesses } from '../../settlement/leases.ts';
import { type Finding, good } from '../findings/finding.ts';
import type { Examination } from './examination.ts';

/** The pool of a process has 16. One more listens, and an audit takes two, of which one is short. */
const CONNECTIONS_EACH = 18;

/** Which processes of the service run, and whether the database has connections for all of them. */
export async function checkProcesses({ database, installation }: Examination): Promise<Finding | Finding[] | null> {
  const db = await database();
  if (!db || !(await installation())) return null;
  const processes = await countProcesses(db);
  const { mostConnections } = await readDatabaseTraits(db);
  const needed = Math.max(processes, 1) * CONNECTIONS_EACH;
  if (mostConnections < needed) {
    return {
      state: mostConnections < CONNECTIONS_EACH ? 'bad' : 'warning',
      says: `The role may have ${mostConnections} connections, but ${of(processes)} may need ${needed}.`,
      remedy: {
        says: 'Raise max_connections, or the limit of the role or database.',
        docs: 'docs/operate/scaling.md#add-a-process',
      },
    };
  }
  if (processes === 0) return good('No process of the service runs.');
  return good(processes === 1 ? 'One process of the service runs.' : `${processes} processes of the service run.`);
}

const of = (processes: number) => (processes <= 1 ? 'one process' : `${processes} processes`);
