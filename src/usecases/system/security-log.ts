import { SECURITY_EVENTS, type SecurityEvent, type SecurityFacts } from '../../base/security-events.ts';

type Log = Readonly<Record<'info' | 'warn', (entry: SecurityFacts & { security: string }, message: string) => void>>;

/** Where security events are written, and counted. */
export type SecurityLog = {
  /** Notes what has happened, after the COMMIT that made it so. Never throws. */
  note(event: SecurityEvent, facts?: SecurityFacts): void;
  /** How often each has happened in this process. */
  readonly counts: ReadonlyMap<SecurityEvent, number>;
};

export function openSecurityLog(log: Log): SecurityLog {
  const counts = new Map<SecurityEvent, number>();
  return {
    counts,
    note(event, facts = {}) {
      counts.set(event, (counts.get(event) ?? 0) + 1);
      log[SECURITY_EVENTS[event]]({ security: event, ...facts }, 'security event');
    },
  };
}
