/** Far more time than closing the last connections takes. */
const LEAVES_AFTER_MS = 5_000;

/**
 * Call it at the very end of a program. If something that was not closed still holds the process open, this reports it and
 * ends the process, never with 0, because that is a fault.
 */
export function endIfHeldOpen(afterMs = LEAVES_AFTER_MS): void {
  setTimeout(() => {
    const holders = [...new Set(process.getActiveResourcesInfo())].join(', ');
    process.stderr.write(`Everything was closed, but the process was still held open by: ${holders}.\n`);
    process.exit(process.exitCode || 1);
  }, afterMs).unref();
}
