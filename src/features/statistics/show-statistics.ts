import type { App } from '../../identity/apps.ts';
import type { Service } from '../../service/service.ts';
import { type PeriodName, readStatistics, type Statistics } from '../../views/statistics/read-statistics.ts';
import { countForViewer } from './count-events.ts';

/** Counts an app's new events, at most 50,000, and reads its statistics for a period that ends now. */
export async function showStatistics(
  service: Pick<Service, 'db'>,
  app: App,
  period: PeriodName,
  now: Date = new Date(),
): Promise<Statistics> {
  return readStatistics(service, app, period, await countForViewer(service, app.id), now);
}
