import type { Service } from '../../../service/service.ts';
import { isCheckDue, storeCheck } from '../store/entries.ts';
import { signHead } from '../views/sign-head.ts';
import { verifyLog } from '../views/verify-log.ts';

/**
 * Once a day: verifies the log, and one process writes a signed head to the service's log, from where it is collected and kept
 * elsewhere.
 */
export async function checkLogDaily(
  service: Pick<Service, 'db' | 'vault' | 'publicUrl' | 'chain' | 'log' | 'security' | 'development'>,
): Promise<void> {
  if (!(await isCheckDue(service.db))) return;
  const { fault, head } = await verifyLog(service);
  const isFirst = await storeCheck(service.db, {
    sequence: head.sequence,
    wrongSequence: fault?.sequence ?? null,
    fault: fault?.what ?? null,
  });
  if (!isFirst) return;
  if (fault) {
    service.security.note('log-not-whole', { what: Number(fault.sequence) });
    service.log.error(
      { sequence: Number(fault.sequence), fault: fault.what },
      "the operator's log does not verify: see `quarters log verify`",
    );
  }
  // A try-out's terminal is no place that keeps lines.
  if (service.development) return;
  const { sequence, jws } = await signHead(service);
  service.log.info({ sequence, head: jws }, "the head of the operator's log");
}
