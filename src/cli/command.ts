import { Command } from 'commander';
import type { Subject } from '../config/read-settings.ts';
import type { MigrateOptions } from '../db/migrate.ts';
import type { House } from '../service/house.ts';
import type { Service } from '../service/service.ts';
import { parseAppId } from './values.ts';

/** What the command line gets from `main.ts`, which alone knows the HTTP server and the loops. */
export type CliContext = {
  /** With the wings that this installation has. */
  house(): House;
  /** Runs the service until it is asked to stop. `lan`: devices of the network reach it. */
  start(options?: { readonly lan?: true }): Promise<void>;
  /** Updates the database schema, or prepares that. `applied` names the migrations that this took, or that find something done. */
  migrate(options?: MigrateOptions): Promise<{ applied: string[] }>;
  /** Opens the installation's service for one command. Nothing of it may be used after `close`. */
  connect(): Promise<{ service: Service; close(): Promise<void> }>;
  /** The configuration of this environment, which need not work. Left out where there is nothing to examine. */
  findSubject?(): Promise<Subject>;
  /** From this call on, Ctrl-C (SIGINT) and SIGTERM abort the signal instead of ending the process. Only commands without an end call it. */
  untilStopped?(): AbortSignal;
  /** Where a command asks, if it is a terminal. */
  readonly in?: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  /** The result, and nothing else. */
  readonly out: NodeJS.WritableStream;
  /** Messages, questions and progress. */
  readonly err: NodeJS.WritableStream;
};

export type OutputOptions = { readonly json?: true };

/** What a command says: to programs, and to people. With an `end` it does not end well after that. */
export type Printed = {
  readonly json: object;
  readonly text: string;
  /** For people: what to do next. It goes to stderr, because stdout has the result alone. */
  readonly hint?: string;
  readonly end?: Error | undefined;
  /** This run has only looked. */
  readonly changesNothing?: boolean;
  /** What it waits for once it is said. What is printed may be a secret that is shown once, so nothing comes before that. */
  readonly after?: () => Promise<void>;
};

/** A command, with what many commands have. */
export class CliCommand extends Command {
  readonly context: CliContext;
  /** What it says is about something that it has changed: see {@link changes}. */
  isChange = false;

  constructor(name: string | undefined, context: CliContext) {
    super(name);
    this.context = context;
  }

  override createCommand(name?: string): CliCommand {
    return new CliCommand(name, this.context);
  }

  /** The argument of commands about an app. */
  app(): this {
    return this.argument('<app>', 'the app id', parseAppId);
  }

  /** The option of all commands whose result a program may want: see {@link print}. */
  json(): this {
    return this.option('--json', 'print JSON');
  }

  /** Its last option is `--json`. It does `work` with the installation's service, and prints what that returns. `given`: operands and options. */
  prints(work: (service: Service, ...given: never[]) => Promise<Printed>): this {
    return this.json().action(async (...given: unknown[]) => {
      await withService(this.context, async (service) => {
        const { end, ...printed } = await work(service, ...(given as never[]));
        print(this.context, this.opts(), printed);
        await waitAfter(this.context, printed.after);
        if (end) throw end;
      });
    });
  }

  /** As {@link prints}, for a command that changes something: what it says is true for each call that comes after it, in every process. */
  changes(work: (service: Service, ...given: never[]) => Promise<Printed>): this {
    this.isChange = true;
    return this.prints(async (service, ...given) => {
      const printed = await work(service, ...given);
      const after = async () => {
        await waitAfter(this.context, printed.after);
        if (printed.changesNothing) return;
        const { untilInEffect } = await import('./in-effect.ts');
        await untilInEffect(service, this.context.err);
      };
      return { ...printed, after };
    });
  }

  /** What somebody might type: see {@link example}. */
  examples(...lines: readonly string[]): this {
    return this.addHelpText('after', example(...lines));
  }
}

/** Prints one JSON value for programs, or text and a hint for people. Throws the `end`. */
export function print({ out, err }: CliContext, options: OutputOptions, { json, text, hint, end }: Printed): void {
  out.write(options.json ? `${JSON.stringify(json, plain, 2)}\n` : text);
  if (hint && !options.json) err.write(hint);
  if (end) throw end;
}

/** It is done and printed. A command that ended as failed now would be repeated, and pay twice. */
async function waitAfter({ err }: CliContext, after: Printed['after']): Promise<void> {
  try {
    await after?.();
  } catch (error) {
    err.write(`It is done, but may not hold yet: ${(error as Error).message}\n`);
  }
}

/** No amount and no block exceeds 2^53−1. */
const plain = (_name: string, value: unknown) => (typeof value === 'bigint' ? Number(value) : value);

/** Runs `work` with the installation's service, and closes the connection in any case. */
export async function withService<T>(context: CliContext, work: (service: Service) => Promise<T>): Promise<T> {
  const { service, close } = await context.connect();
  try {
    return await work(service);
  } finally {
    // What is done stays done, whatever becomes of the connection.
    await close().catch((error: Error) => context.err.write(`The connection was not closed: ${error.message}\n`));
  }
}

/** Collects the values of a repeatable option. */
export function collect(value: string, previous: readonly string[] = []): string[] {
  return [...previous, value];
}

/** The text of examples, without the program's name. */
export function example(...lines: readonly string[]): string {
  return `\n${lines.length === 1 ? 'Example' : 'Examples'}:\n${lines.map((line) => `  $ npx quarters ${line}\n`).join('')}`;
}
