import type { Arrival } from '../features/payments/wait-for-arrival.ts';
import type { Service } from '../service/service.ts';
import type { CliContext } from './command.ts';
import { withProgress } from './progress.ts';

const WHY: Readonly<Record<Exclude<Arrival, 'arrived'>, string>> = {
  late: 'the chain has not settled them within 30 seconds',
  unsent: 'no service runs, and the next one sends them',
};

/**
 * Waits until whoever a command has paid can spend that with the next call, or says on stderr that it is on its way. `see`: where that is
 * shown.
 */
export async function untilArrived(
  context: CliContext,
  service: Service,
  hasArrived: () => Promise<boolean>,
  see: string,
): Promise<void> {
  const { waitForArrival } = await import('../features/payments/wait-for-arrival.ts');
  const arrival = await withProgress(context, 'Waiting for the chain', () => waitForArrival(service, hasArrived));
  if (arrival === 'arrived') return;
  context.err.write(`The quarters cannot all be spent yet: ${WHY[arrival]}. See: npx quarters ${see}\n`);
}
