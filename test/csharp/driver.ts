import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { startMono } from './mono.ts';

export type Thrown = {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly status?: number;
  readonly retryAfter?: number;
  readonly key?: string;
  readonly cause?: string;
};

type Told = Readonly<Record<string, unknown>> & { readonly do: string };
type Done = { readonly result?: unknown; readonly error?: Thrown };

export type Driver = {
  /** What came of it: the result, or what was thrown. */
  does(told: Told): Promise<Done>;
  /** The result; throws if there is none. */
  gives<T>(told: Told): Promise<T>;
  /** What was thrown; throws if nothing was. */
  throws(told: Told): Promise<Thrown>;
  kill(): Promise<void>;
};

/** The sources of the program that uses the C# library as it is told. */
export const DRIVER = ['Driver.cs', 'TakingOver.cs'].map((file) => join(import.meta.dirname, file));

/** Starts that program. */
export function startDriver(t: TestContext, program: string): Driver {
  const waiting = new Map<number, (done: Done) => void>();
  let told = 0;
  const mono = startMono(t, program, {}, (line) => {
    const { id, ...done } = JSON.parse(line) as Done & { id: number };
    waiting.get(id)?.(done);
    waiting.delete(id);
  });
  const driver: Driver = {
    does(what) {
      const id = ++told;
      mono.write(JSON.stringify({ ...what, id }));
      return new Promise((resolve) => waiting.set(id, resolve));
    },
    async gives<T>(what: Told) {
      const { result, error } = await driver.does(what);
      if (error) throw new Error(`${error.name}: ${error.message}`);
      return result as T;
    },
    async throws(what) {
      const { result, error } = await driver.does(what);
      if (!error) throw new Error(`It gave ${JSON.stringify(result)}.`);
      return error;
    },
    kill: mono.kill,
  };
  return driver;
}
