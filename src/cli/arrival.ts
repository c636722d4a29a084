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
 * shown. Never throws: the payment is made, and a command that ends as failed would be repeated.
 */
export async function untilArrived(
  context: CliContext,
  service: Service,
  hasArrived: () => Promise<boolean>,
  see: string,
): Promise<void> {
  const later = (says: string) => context.err.write(`${says}. See: npx quarters ${see}\n`);
  try {
    const { waitForArrival } = await import('../features/payments/wait-for-arrival.ts');
    const arrival = await withProgress(context, 'Waiting for the chain', () => waitForArrival(service, hasArrived));
    if (arrival !== 'arrived') later(`The quarters cannot all be spent yet: ${WHY[arrival]}`);
  } catch (error) {
    later(`The quarters are on their way, and may not all be spent yet: ${(error as Error).message}`);
  }
}
