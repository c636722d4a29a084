import { type ExtensionPoint, extensionPoint, type House } from './house.ts';

/** The path of a console. Without it, nothing leads there, and no wing adds pages to it. */
type Console = ExtensionPoint<string>;

export const DEVELOPERS_CONSOLE: Console = extensionPoint('the path of the developers’ console');

export const OPERATORS_CONSOLE: Console = extensionPoint('the path of the operators’ console');

/** Null if there is no such console. */
export function consolePath({ of }: House, console: Console): string | null {
  return of(console)[0] ?? null;
}
