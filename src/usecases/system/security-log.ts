import type { Log, LogEntry } from '../../base/log.ts';
import { currentContext } from '../../base/request-context.ts';
import {
  ALL_SECURITY_EVENTS,
  SECURITY_EVENTS,
  type SecurityEvent,
  type SecurityFacts,
} from '../../base/security-events.ts';

/** Where security events are written, and counted. */
export type SecurityLog = {
  /**
   * Notes what has happened: after the COMMIT that made it so, and never in a transaction, whose work may run again. The line also says
   * which request or command it was part of, so it is to be noted where that call awaits the outcome, not in work that calls share.
   */
  note(event: SecurityEvent, facts?: SecurityFacts): void;
  /** How often each has happened in this process; those that have not are there with 0. */
  readonly counts: ReadonlyMap<SecurityEvent, number>;
  /**
   * What was noted since the last time, as texts for {@link SecurityLog.hear}. A command's process ends, and its lines go to whoever runs
   * it; the services' log is the one that is kept and watched. Nothing is kept without `keeps`.
   */
  takeNotes(): string[];
  /** Notes what a command has noted. Any other text is ignored. */
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

/** What a command may say of an event. Anything else could make the line say something else: `level`, `msg`, `security`. */
const HEARD_FIELDS = ['osUser', 'command', 'userId', 'appId', 'what'];
/** Much longer than any of them is. */
const MAX_HEARD_LENGTH = 256;

/** Whoever may connect to the database may have sent it; another version of the program, too. */
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
