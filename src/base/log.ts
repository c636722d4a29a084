export type LogEntry = Readonly<Record<string, unknown>>;

/** Where lines are written, by whatever writes them. */
export type Log = {
  info(entry: LogEntry, message: string): void;
  warn(entry: LogEntry, message: string): void;
  error(entry: LogEntry, message: string): void;
};
