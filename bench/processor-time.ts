import { readdirSync, readFileSync } from 'node:fs';

const MS_A_TICK = 10;

/** A process. `milliseconds`: the processor time of all its threads, and of its children that have ended. */
type Stat = { readonly pid: number; readonly parent: number; readonly name: string; readonly milliseconds: number };

/** Root processes by the name of their group. Whatever they start counts too. */
export type ProcessGroups = Readonly<Record<string, readonly number[]>>;

/** Processor time since the start of each group, in milliseconds, and of the whole machine with everything that runs on it. */
export type ProcessorTime = { readonly groups: Readonly<Record<string, number>>; readonly machine: number };

/**
 * Reads user and system time of all processes of each group, with all threads. The time of children that have ended is in
 * their parent's record (proc(5), cutime and cstime), so the sum never falls. Linux only; its clock ticks are 10 ms.
 */
export function readProcessorTime(groups: ProcessGroups): ProcessorTime {
  const all = readStats();
  const times = Object.entries(groups).map(([name, roots]) => {
    const family = familyOf(new Set(roots), all);
    return [name, all.filter(({ pid }) => family.has(pid)).reduce((sum, { milliseconds }) => sum + milliseconds, 0)];
  });
  return { groups: Object.fromEntries(times) as Record<string, number>, machine: machineTime() };
}

/** What each group took between two readings, in milliseconds. `others`: all programs that are in no group. */
export function processorTimeBetween(before: ProcessorTime, after: ProcessorTime): Record<string, number> {
  const spent: Record<string, number> = {};
  for (const [name, milliseconds] of Object.entries(after.groups)) {
    spent[name] = milliseconds - (before.groups[name] ?? 0);
  }
  const known = Object.values(spent).reduce((sum, milliseconds) => sum + milliseconds, 0);
  return { ...spent, others: Math.max(0, after.machine - before.machine - known) };
}

/** The most memory that a process has had so far, in MB (VmHWM, proc(5)). */
export function peakMegabytes(pid: number): number {
  const kilobytes = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes ?? 0) / 1024;
}

/** All processes of the machine. */
export function readStats(): Stat[] {
  return readdirSync('/proc').flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return [];
    try {
      // pid (name, which may hold anything) state parent …
      const [, name, rest] = /\((.*)\) (.*)/s.exec(readFileSync(`/proc/${entry}/stat`, 'utf8'))!;
      const fields = rest!.split(' ').map(Number);
      const ticks = fields.slice(11, 15).reduce((sum, value) => sum + value, 0);
      return [{ pid: Number(entry), parent: fields[1]!, name: name!, milliseconds: ticks * MS_A_TICK }];
    } catch {
      // The process has ended meanwhile.
      return [];
    }
  });
}

/** The ids of these processes and of all below them. */
export function familyOf(roots: ReadonlySet<number>, all: readonly Stat[]): Set<number> {
  const family = new Set(roots);
  for (let size = -1; size < family.size; ) {
    size = family.size;
    for (const { pid, parent } of all) if (family.has(parent)) family.add(pid);
  }
  return family;
}

/** The busy time of all cores: user, nice, system, irq and softirq. Time that a hypervisor gave to others is none of ours. */
function machineTime(): number {
  const [user, nice, system, , , irq, softirq] = /^cpu +(.*)$/m
    .exec(readFileSync('/proc/stat', 'utf8'))![1]!
    .split(' ')
    .map(Number);
  return (user! + nice! + system! + irq! + softirq!) * MS_A_TICK;
}
