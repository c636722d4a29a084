import { withThousands } from '../base/quarters.ts';
import type { CliContext } from './command.ts';

/** Says how far a work is. `total`: null or left out while it is unknown. `note`: what it waits for, if that is worth a word. */
export type ReportProgress = (done: number, total?: number | null, note?: string) => void;

export type ProgressState = {
  readonly what: string;
  readonly done: number;
  readonly total: number | null;
  readonly note: string;
  readonly seconds: number;
};

/** Work that ends sooner shows nothing. */
const QUIET_MS = 1_000;
const DRAW_EVERY_MS = 200;
/** For a log file: seldom enough to stay readable. */
const LINE_EVERY_MS = 10_000;
const BAR_WIDTH = 24;

/**
 * Runs `work` and shows on stderr how far it is, from the second on that it takes longer than one: on a terminal as a line that is redrawn,
 * elsewhere as a line every ten seconds. `what`: such as `Paying`.
 */
export async function withProgress<T>(
  { err }: Pick<CliContext, 'err'>,
  what: string,
  work: (report: ReportProgress) => Promise<T>,
  { quietMs = QUIET_MS }: { readonly quietMs?: number } = {},
): Promise<T> {
  const isLive = isTerminal(err);
  const since = performance.now();
  let state: Omit<ProgressState, 'seconds'> = { what, done: 0, total: null, note: '' };
  let isDrawn = false;
  let nextAt = since + (isLive ? quietMs : Math.max(quietMs, LINE_EVERY_MS));
  const draw = () => {
    const now = performance.now();
    if (now < nextAt) return;
    nextAt = now + (isLive ? DRAW_EVERY_MS : LINE_EVERY_MS);
    const line = progressLine({ ...state, seconds: (now - since) / 1000 });
    err.write(isLive ? `\r${line.slice(0, columnsOf(err) - 1)}\u001b[K` : `${line}\n`);
    isDrawn = isLive;
  };
  // Also without a report: the seconds show that it is alive.
  const drawing = setInterval(draw, DRAW_EVERY_MS);
  drawing.unref();
  try {
    return await work((done, total = null, note = '') => {
      state = { what, done, total, note };
      draw();
    });
  } finally {
    clearInterval(drawing);
    if (isDrawn) err.write('\r\u001b[K');
  }
}

/** A line such as `Paying [#####.....] 4,321 of 10,000, 43 %, 12 s left`. */
export function progressLine({ what, done, total, note, seconds }: ProgressState): string {
  const count = withThousands(BigInt(done));
  const parts =
    total === null || total === 0
      ? [`${what}${done > 0 ? ` ${count}` : ''}`, `${Math.floor(seconds)} s`]
      : [
          `${what} ${bar(done / total)} ${count} of ${withThousands(BigInt(total))}`,
          `${Math.floor((100 * done) / total)} %`,
          ...(done > 0 && done < total ? [`${Math.ceil((seconds / done) * (total - done))} s left`] : []),
        ];
  return [...parts, ...(note === '' ? [] : [note])].join(', ');
}

function bar(part: number): string {
  const full = Math.min(BAR_WIDTH, Math.floor(part * BAR_WIDTH));
  return `[${'#'.repeat(full)}${'.'.repeat(BAR_WIDTH - full)}]`;
}

/** Whether a line can be redrawn there. */
function isTerminal(err: NodeJS.WritableStream & { readonly isTTY?: boolean }): boolean {
  return err.isTTY === true && process.env.TERM !== 'dumb';
}

function columnsOf(err: NodeJS.WritableStream & { readonly columns?: number }): number {
  return err.columns ?? 80;
}
