import { invalidInput } from '../../../base/problems.ts';
import type { ActionDeed } from '../action-deed.ts';
import { inQuarters } from '../named-subjects.ts';
import { quartersOf } from '../read-fields.ts';

/** `sha256`: of the file's bytes, in hex. `rows`, `quarters`: how many payments it has, and their sum. */
type Params = {
  readonly batch: string;
  /** An app's id, or `treasury`. */
  readonly from: string;
  readonly sha256: string;
  readonly rows: number;
  readonly quarters: number;
};

/**
 * Allows `quarters pay` to pay one file. The action moves nothing by itself: the command pays row after row once the action is done, each
 * with a transfer of its own.
 */
export const PAY_FILE: ActionDeed<Params> = {
  waits: true,
  resolve(_service, file) {
    if (!/^[0-9a-f]{64}$/.test(file.sha256)) throw invalidInput('/sha256', 'is not a SHA-256 in hex');
    return file;
  },
  subject: ({ sha256 }) => ({ kind: 'service', id: `file ${sha256.slice(0, 16)}` }),
  amount: ({ quarters }) => quartersOf(quarters),
  async preview(_service, { batch, from, sha256, rows, quarters }) {
    return {
      sentence: `Allow paying ${inQuarters(quartersOf(quarters))} in ${rows} payments, as the batch ${batch}.`,
      facts: [
        ['Paid from', from],
        ['SHA-256 of the file', sha256],
      ],
    };
  },
  // The command's payments write the operator's log, each its own entry.
  apply: async () => null,
};
