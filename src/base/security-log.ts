import type { Log, LogEntry } from './log.ts';
import { currentContext } from './request-context.ts';
import { ALL_SECURITY_EVENTS, SECURITY_EVENTS, type SecurityEvent, type SecurityFacts } from './security-events.ts';

/** Writes and counts security events. */
export type SecurityLog = {
  /**
   * Records what has happened: after the COMMIT that made it so, and never in a transaction, whose work may run again.
   * The line also names its request or command, so record the event where that call awaits the outcome, not in work
   * that calls share.
   */
  note(event: SecurityEvent, facts?: SecurityFacts): void;
  /** How often each event has happened in this process; 0 for the others. */
  readonly counts: ReadonlyMap<SecurityEvent, number>;
  /**
   * The events recorded since the last call, as texts for {@link SecurityLog.hear}. A command's process ends, and its
   * output goes to whoever runs it; the services' log is the one that is kept and watched. Keeps nothing without
   * `keeps`.
   */
  takeNotes(): string[];
  /** Records what a command has recorded. Ignores any other text. */
  hear(note: string): void;
};

export function openSecurityLog(log: Log, { keeps = false } = {}): SecurityLog {
  const counts = new Map<SecurityEvent, number>(ALL_SECURITY_EVENTS.map((event) => [event, 0]));
  const kept: string[] = [];
  const write = (event: SecurityEvent, entry: LogEntry) => {
    counts.set(event, counts.get(event)! + 1);
    const { level } = SECURITY_EVENTS[event];
    if (level !== null) log[level]({ security: event, ...entry }, 'security event');
  };
  return {
    counts,
    note(event, facts = {}) {
      // An undefined fact must not hide what the context knows.
      const given = Object.entries(facts).filter(([, value]) => value !== undefined);
      const entry = { ...currentContext(), ...Object.fromEntries(given) };
      write(event, entry);
      if (keeps) kept.push(JSON.stringify({ event, entry }));
    },
    takeNotes: () => kept.splice(0),
    hear(note) {
      const heard = readNote(note);
      if (heard) write(heard.event, heard.entry);
    },
  };
}

/** The fields that a command may give for an event. Others could falsify the line: `level`, `msg`, `security`. */
const HEARD_FIELDS = ['osUser', 'command', 'userId', 'appId', 'what'];
/** Much longer than any real value. */
const MAX_HEARD_LENGTH = 256;

/** Any client of the database may have sent it, even another version of the program. */
function readNote(note: string): { readonly event: SecurityEvent; readonly entry: LogEntry } | null {
  try {
    const { event, entry } = JSON.parse(note) as { event?: unknown; entry?: unknown };
    if (typeof event !== 'string' || !Object.hasOwn(SECURITY_EVENTS, event)) return null;
    const heard = HEARD_FIELDS.flatMap((name) => {
      const value = (entry as LogEntry)[name];
      if (typeof value === 'number') return [[name, value]];
      return typeof value === 'string' ? [[name, value.slice(0, MAX_HEARD_LENGTH)]] : [];
    });
    return { event: event as SecurityEvent, entry: { actor: 'operator', ...Object.fromEntries(heard) } };
  } catch {
    return null;
  }
}
