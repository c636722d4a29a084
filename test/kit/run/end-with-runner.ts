/** Loaded first in each test process: ends it when the runner has gone, even after kill -9. */
const LOOKS_EVERY_MS = 500;
const runner = process.ppid;

setInterval(() => {
  // An orphaned process gets another parent.
  if (process.ppid !== runner) process.exit(1);
}, LOOKS_EVERY_MS).unref();
