import { readdirSync } from 'node:fs';
import { alive } from '../kit/unit/processes.ts';
import { until } from '../kit/unit/until.ts';

/** What is of an emulator in the folder for temporary files. A library of the service may have a cache there. */
export const foldersIn = (temporary: string) => readdirSync(temporary).filter((name) => name.startsWith('quarters-'));

/** Waits until these processes have ended, and no more than so many folders are left in the one for temporary files. */
export async function assertAllGone(processes: readonly number[], temporary: string, left = 0): Promise<void> {
  const rest = () => alive([...processes]);
  await until('all processes are gone', () => rest().length === 0, rest);
  const folders = () => foldersIn(temporary);
  await until('its folders are gone', () => folders().length === left, folders);
}
