import type { Service } from '../usecases/service.ts';
import type { CliContext } from './context.ts';

export type OutputOptions = { readonly json?: true };

/** One JSON value for programs, or text for people. */
export function print({ out }: CliContext, options: OutputOptions, json: object, text: string): void {
  out.write(options.json ? `${JSON.stringify(json, null, 2)}\n` : text);
}

/** Runs `work` with the installation's parts, and lets go of them whatever happens. */
export async function withService<T>(context: CliContext, work: (service: Service) => Promise<T>): Promise<T> {
  const { service, close } = await context.connect();
  try {
    return await work(service);
  } finally {
    await close();
  }
}

/** For tables: `2026-01-31 12:00:00Z`. */
export function readableTime(time: Date): string {
  return time.toISOString().replace('T', ' ').replace(/\.\d+/, '');
}

/** For options that may be repeated. */
export function collect(value: string, previous: readonly string[] = []): string[] {
  return [...previous, value];
}

export const JSON_OPTION = ['--json', 'print JSON, for programs'] as const;

export function example(...lines: readonly string[]): string {
  return `\n${lines.length === 1 ? 'Example' : 'Examples'}:\n${lines.map((line) => `  $ npx quarters ${line}\n`).join('')}`;
}
