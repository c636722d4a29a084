import { InvalidArgumentError } from 'commander';
import { UUID_PATTERN } from '../base/ids.ts';
import type { Service } from '../settlement/service.ts';
import type { CliContext } from './context.ts';

export type OutputOptions = { readonly json?: true };

export const JSON_OPTION = ['--json', 'print JSON'] as const;

export const APP_ARGUMENT = ['<app>', 'the app id'] as const;

/** Prints one JSON value for programs, or text for people. */
export function print({ out }: CliContext, options: OutputOptions, json: object, text: string): void {
  out.write(options.json ? `${JSON.stringify(json, null, 2)}\n` : text);
}

/** Runs `work` with the installation's service, and closes the connection in any case. */
export async function withService<T>(context: CliContext, work: (service: Service) => Promise<T>): Promise<T> {
  const { service, close } = await context.connect();
  try {
    return await work(service);
  } finally {
    await close();
  }
}

/** Formats a time for tables: `2026-01-31 12:00:00Z`. */
export function readableTime(time: Date): string {
  return time.toISOString().replace('T', ' ').replace(/\.\d+/, '');
}

/** Collects the values of a repeatable option. */
export function collect(value: string, previous: readonly string[] = []): string[] {
  return [...previous, value];
}

export function parseUuid(text: string): string {
  if (new RegExp(UUID_PATTERN).test(text)) return text.toLowerCase();
  throw new InvalidArgumentError('Use a UUID.');
}

export function example(...lines: readonly string[]): string {
  return `\n${lines.length === 1 ? 'Example' : 'Examples'}:\n${lines.map((line) => `  $ npx quarters ${line}\n`).join('')}`;
}
