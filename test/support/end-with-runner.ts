/** Loaded before all else in each process of tests: it ends when the runner is gone, even after kill -9. */
const LOOKS_EVERY_MS = 500;
const runner = process.ppid;

setInterval(() => {
  // Somebody else adopts a process whose parent is gone.
  if (process.ppid !== runner) process.exit(1);
}, LOOKS_EVERY_MS).unref();
