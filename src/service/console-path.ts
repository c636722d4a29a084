import { extensionPoint, type House } from './house.ts';

export const DEVELOPERS_CONSOLE = extensionPoint<string>('the path of the developers’ console');

/** Where developers run their apps; null if there is no console for them: then nothing leads there. */
export function consolePath({ of }: House): string | null {
  return of(DEVELOPERS_CONSOLE)[0] ?? null;
}
