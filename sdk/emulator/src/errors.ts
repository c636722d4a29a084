import type { Fault } from './controls.generated.ts';

/** The emulator refused an operation, and did nothing. */
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
