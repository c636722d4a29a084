type Close = () => Promise<void> | void;

export type Closers = {
  /**
   * To be awaited by whoever has opened something, at once. Where closing has begun, it is closed and the call throws: who opened
   * it must not go on.
   */
  opened(close: Close): Promise<void>;
  /** What was opened last is closed first; what one of them throws is told, and keeps none of the others from being closed. */
  close(): Promise<void>;
};

/** Keeps what has to be closed again, on every way out: also what is opened when closing has already begun. */
export function openClosers(told: (error: unknown) => void): Closers {
  const opened: Close[] = [];
  let closing: Promise<void> | null = null;
  const run = async (close: Close) => {
    try {
      await close();
    } catch (error) {
      told(error);
    }
  };
  return {
    async opened(close) {
      if (!closing) {
        opened.push(close);
        return;
      }
      await run(close);
      throw new Error('The service is being stopped.');
    },
    close() {
      closing ??= (async () => {
        for (const close of opened.reverse()) await run(close);
      })();
      return closing;
    },
  };
}
