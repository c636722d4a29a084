import type { TestContext } from 'node:test';
import type { FastifyInstance } from 'fastify';
import type { Settings } from '../../../src/config/settings.ts';
import { startJobs } from '../../../src/jobs/jobs.ts';
import { openService } from '../../../src/process/open-service.ts';
import { createSite } from '../../../src/process/site.ts';
import type { Service } from '../../../src/service/service.ts';
import { markStarted } from '../../../src/settlement/readiness.ts';
import { atEnd } from '../unit/at-end.ts';
import type { TestService } from './service.ts';

type Options = {
  /** Another way to the same database. */
  databaseUrl?: string;
  rpcUrl?: string;
  settings?: Partial<Settings>;
  /** Whether its loops run. Without them it still accepts instructions, and the first service sends. */
  works?: boolean;
};

/** A second service on the database and chain of the first, like another process. Ends with the test. */
export async function startSecondService(
  t: TestContext,
  first: TestService,
  { databaseUrl = first.databaseUrl, rpcUrl = first.evm.url, settings = {}, works = false }: Options = {},
): Promise<{ service: Service; app: FastifyInstance }> {
  const opened = await openService(
    { ...first.service.settings, ...settings },
    { house: first.service.house, databaseUrl, rpcUrls: [rpcUrl], publicUrl: first.service.publicUrl },
    first.service.log,
    null,
  );
  const { service } = opened;
  markStarted(service);
  const app = await createSite(service);
  const jobs = works ? await startJobs(service) : null;
  atEnd(t, async () => {
    await app.close();
    await opened.drained();
    await jobs?.stop();
    await opened.close();
  });
  return { service, app };
}
