/** Processor time of the tests, from /proc. Systems without it have no such figures. */
import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second in /proc, whatever the kernel's own clock. */
const TICKS_PER_SECOND = 100;

type Times = { readonly parent: number; readonly seconds: number };

/** Processor time of a process and of its ended descendants; null without /proc, or if the process has ended. */
function timesOf(pid: number | 'self'): Times | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
  // The second field is a name in brackets, which may hold anything. The parent is field 4; utime, stime, cutime and cstime
  // are fields 14 to 17.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, each) => sum + Number(each), 0);
  return { parent: Number(fields[1]), seconds: ticks / TICKS_PER_SECOND };
}

/**
 * Processor time of this process and of all its ended descendants; null without /proc. It excludes children that nobody
 * waited for, and orphans.
 */
export function cpuSeconds(): number | null {
  return timesOf('self')?.seconds ?? null;
}

/** The same for any process, with its descendants that still run. 0 if there is none. */
export function cpuSecondsOfTree(root: number): number {
  const all = new Map(
    readdirSync('/proc').flatMap((name) => {
      const times = /^\d+$/.test(name) ? timesOf(Number(name)) : null;
      return times ? [[Number(name), times] as const] : [];
    }),
  );
  const isOfTree = (pid: number): boolean => pid === root || (all.has(pid) && isOfTree(all.get(pid)!.parent));
  return [...all].reduce((sum, [pid, { seconds }]) => (isOfTree(pid) ? sum + seconds : sum), 0);
}
