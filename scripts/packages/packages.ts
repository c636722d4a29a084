import { packNuGet } from './nuget.ts';
import type { Pack } from './package.ts';
import { packEmulator, packSdk } from './sdk.ts';
import { packService } from './service.ts';
import { packUpm } from './upm.ts';

/** The packages of a release, of all languages. */
export const PACKAGES: readonly Pack[] = [packService, packSdk, packEmulator, packUpm, packNuGet];
