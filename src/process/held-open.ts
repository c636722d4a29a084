/** Far beyond what closing the last connections takes. */
const LEAVES_AFTER_MS = 5_000;

/**
 * For the very end of a program: where something that nobody stopped still holds the process open, it says so and ends it, never
 * with 0, since a thing left open is a fault.
 */
export function endIfHeldOpen(afterMs = LEAVES_AFTER_MS): void {
  setTimeout(() => {
    const holders = [...new Set(process.getActiveResourcesInfo())].join(', ');
    process.stderr.write(`Everything had ended, but the process was still held open by: ${holders}.\n`);
    process.exit(process.exitCode || 1);
  }, afterMs).unref();
}
