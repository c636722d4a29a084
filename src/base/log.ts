export type LogEntry = Readonly<Record<string, unknown>>;

/** The log, independent of the library that writes it. */
export type Log = {
  info(entry: LogEntry, message: string): void;
  warn(entry: LogEntry, message: string): void;
  error(entry: LogEntry, message: string): void;
};
