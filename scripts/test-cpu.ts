import { readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second in /proc, whatever the kernel's own clock. */
const TICKS_PER_SECOND = 100;

/**
 * Processor time of this process and of all its ended descendants; null without /proc. It excludes children that nobody
 * waited for, and orphans.
 */
export function cpuSeconds(): number | null {
  let stat: string;
  try {
    stat = readFileSync('/proc/self/stat', 'utf8');
  } catch {
    return null;
  }
  // The second field is a name in brackets, which may hold anything. utime, stime, cutime and cstime are fields 14 to 17.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND;
}
