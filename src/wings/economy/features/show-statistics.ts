import type { App } from '../../../identity/apps.ts';
import type { Service } from '../../../service/service.ts';
import { type PeriodName, readStatistics, type Statistics } from '../views/read-statistics.ts';
import { countForViewer } from './count-events.ts';

/** Counts what is new, as {@link countForViewer} does, and reads the app's statistics for a period that ends now. */
export async function showStatistics(
  service: Parameters<typeof countForViewer>[0] & Pick<Service, 'house' | 'reads'>,
  app: App,
  period: PeriodName,
  now: Date = new Date(),
): Promise<Statistics> {
  return readStatistics(service, app, period, await countForViewer(service, app.id), now);
}
