import type { TestContext } from 'node:test';
import type { HealthCheck } from '../../../src/diagnostics/findings/finding.ts';
import type { CheckReport } from '../../../src/diagnostics/findings/run-checks.ts';
import { findSubject } from '../../../src/process/connect.ts';
import { examine } from '../../../src/wings/doctor/diagnostics/examine.ts';
import { WINGS } from '../../../src/wings.ts';
import { scratchFolder } from '../unit/scratch.ts';
import type { TestService } from './service.ts';

type Env = Readonly<Record<string, string>>;

/** What doctor finds with these settings alone, on an empty data folder unless they name one. */
export async function examined(t: TestContext, env: Env, sendMailTo: string | null = null): Promise<CheckReport> {
  const subject = await findSubject({ QUARTERS_DATA_DIR: `${await scratchFolder(t)}/data`, ...env }, WINGS);
  return examine(subject, { sendMailTo }, () => {});
}

/** The settings with which a service runs. */
export function settingsOf({ service, databaseUrl, evm }: TestService): Env {
  return {
    QUARTERS_DATA_DIR: service.settings.dataDir,
    DATABASE_URL: databaseUrl,
    CHAIN_RPC_URL: evm.url,
    PUBLIC_URL: service.publicUrl,
    MASTER_KEY: service.settings.masterKey!.toString('hex'),
  };
}

/** What was found of one part. */
export const findingsOf = ({ checks }: CheckReport, part: string): HealthCheck[] =>
  checks.filter((check) => check.part === part);

/** All of it as lines, to match. */
export const saysOf = (findings: CheckReport, part: string): string =>
  findingsOf(findings, part)
    .map(({ state, says, remedy }) => `${state}: ${says} ${remedy?.says ?? ''}`)
    .join('\n');
