import { type Replication, readReplication } from '../../../db/replication.ts';
import { type Finding, good, type HealthFact } from '../../../diagnostics/findings/finding.ts';
import type { Examination } from './examination.ts';

const DOCS = 'docs/operate/doctor.md#durability';

/** Where the database can lose a payment that was acknowledged: in a power cut, with its disk, or in a failover. */
export async function checkDurability({ database, embedded }: Examination): Promise<Finding | Finding[] | null> {
  const db = await database();
  if (!db) return null;
  const replication = await readReplication(db);
  const found = [...ofDisk(replication), ...(embedded.database ? [] : ofStandbys(replication))];
  if (found.length > 0) return found;
  if (embedded.database) return good('A commit is on disk before it is answered.');
  return good(
    'A commit is on two machines before it is answered, as long as a standby is connected. Whether it waits without one is not visible from here.',
    [...factsOf(replication), UNSEEN],
  );
}

/** What promotes standbys decides this. It may empty `synchronous_standby_names` when the last standby is gone. */
const UNSEEN: HealthFact = {
  name: 'Not visible',
  value: 'whether commits wait without a standby (Patroni: synchronous_mode_strict), and which standbys may take over',
};

function factsOf({ standbys }: Pick<Replication, 'standbys'>): HealthFact[] {
  return standbys.map(({ name, sync }) => ({ name: 'Standby', value: `${name}, ${sync ?? 'not visible'}` }));
}

function ofDisk({ fsync, fullPageWrites, synchronousCommit }: Replication): Finding[] {
  const off = [
    ...(fsync ? [] : [['fsync', 'a power cut can destroy the whole database'] as const]),
    ...(fullPageWrites ? [] : [['full_page_writes', 'a power cut can destroy pages of the database'] as const]),
    ...(synchronousCommit === 'off'
      ? [['synchronous_commit', 'a crash loses payments that were answered'] as const]
      : []),
  ];
  return off.map(([name, consequence]) => ({
    state: 'bad',
    says: `${name} is off: ${consequence}.`,
    remedy: { says: `Set ${name} to on, for the server, the database and the role.`, docs: DOCS },
  }));
}

function ofStandbys({ synchronousCommit, synchronousStandbyNames, standbys }: Replication): Finding[] {
  const facts = factsOf({ standbys });
  const warning = (says: string, remedy: string): Finding[] => [
    { state: 'warning', says, facts, remedy: { says: remedy, docs: DOCS } },
  ];
  if (synchronousStandbyNames === '') {
    return standbys.length === 0
      ? warning(
          'No standby is connected. If the disk is lost, so is what came after the last backup.',
          'Add a synchronous standby. If your provider keeps one that is not visible, ignore this.',
        )
      : warning(
          'Every standby is asynchronous. A failover loses payments that were answered.',
          'Set synchronous_standby_names, or synchronous_mode if Patroni sets it.',
        );
  }
  if (synchronousCommit === 'local') {
    return warning(
      'synchronous_commit is local, so no standby is waited for. A failover loses payments.',
      'Set synchronous_commit to on, for the server, the database and the role.',
    );
  }
  if (synchronousCommit === 'remote_write') {
    return warning(
      'synchronous_commit is remote_write: a standby need not have stored what was answered.',
      'Set synchronous_commit to on, for the server, the database and the role.',
    );
  }
  const isSynchronous = standbys.some(({ sync }) => sync === 'sync' || sync === 'quorum');
  const isHidden = standbys.some(({ sync }) => sync === null);
  if (isSynchronous || isHidden) return [];
  return warning(
    'No synchronous standby is connected. Writes wait until there is one.',
    'See why it is not connected: patronictl list, and the log of the standby.',
  );
}
