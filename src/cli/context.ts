import type { Service } from '../usecases/service.ts';

/** What the command line is given by the program's entry, which alone knows the edges and the loops. */
export type CliContext = {
  /** Runs the service until it is told to stop. */
  start(): Promise<void>;
  /** Brings the database's schema up to date; the names of the migrations it applied. */
  migrate(): Promise<{ applied: string[] }>;
  /** The running installation's parts, for one command. Nothing may be used after `close`. */
  connect(): Promise<{ service: Service; close(): Promise<void> }>;
  readonly out: NodeJS.WritableStream;
  readonly err: NodeJS.WritableStream;
};
