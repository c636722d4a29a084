import type { OutputOptions } from './command.ts';
import type { ConfirmOptions } from './confirm.ts';

/** The option of every command that is an operator's action: `.option(...REASON_OPTION)`. */
export const REASON_OPTION = ['--reason <text>', "why, for the operator's log, up to 280 characters"] as const;

export type ActOptions = OutputOptions & ConfirmOptions & { readonly reason?: string };
