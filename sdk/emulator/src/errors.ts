import type { Fault } from './controls.generated.ts';

/** The emulator did not do an operation to its end. After a `status` of 400 or 401 it has done nothing. */
export class EmulatorError extends Error {
  override readonly name = 'EmulatorError';
  readonly status: number;
  /** `refused`, `invalid-input`, `token-invalid`, `not-found`, `internal`, or a problem code of the API. */
  readonly code: string;

  constructor(operation: string, status: number, { code, message }: Fault) {
    super(`${operation}: ${message}`);
    this.status = status;
    this.code = code;
  }
}
