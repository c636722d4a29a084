import type { Service } from '../settlement/service.ts';

/** What the command line gets from `main.ts`, which alone knows the HTTP server and the loops. */
export type CliContext = {
  /** Runs the service until it is asked to stop. */
  start(): Promise<void>;
  /** Updates the database schema. `applied` names the migrations that this took. */
  migrate(): Promise<{ applied: string[] }>;
  /** Opens the installation's service for one command. Nothing of it may be used after `close`. */
  connect(): Promise<{ service: Service; close(): Promise<void> }>;
  readonly out: NodeJS.WritableStream;
  readonly err: NodeJS.WritableStream;
};
