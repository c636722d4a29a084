import type { App } from '../../identity/apps.ts';
import { type PeriodName, readStatistics, type Statistics } from '../../views/statistics/read-statistics.ts';
import { rollUpBite } from '../economy/roll-up.ts';
import { countForViewer } from './count-events.ts';

/**
 * Counts an app's new events, at most 50,000, and the ledger's new blocks, and reads the app's statistics for a period that ends now. So a
 * payment and its quarters show together.
 */
export async function showStatistics(
  service: Parameters<typeof rollUpBite>[0],
  app: App,
  period: PeriodName,
  now: Date = new Date(),
): Promise<Statistics> {
  const events = await countForViewer(service, app.id);
  await rollUpBite(service);
  return readStatistics(service, app, period, events, now);
}
