type Close = () => Promise<void> | void;

export type Closers = {
  /**
   * Registers something that was just opened; await it at once. If closing has already begun, this closes the thing and
   * throws, so that its opener stops.
   */
  opened(close: Close): Promise<void>;
  /** Closes in reverse order. An error of one closer is reported and does not stop the others. */
  close(): Promise<void>;
};

/** Collects what must be closed at the end, including what is opened after closing has begun. */
export function openClosers(onError: (error: unknown) => void): Closers {
  const opened: Close[] = [];
  let closing: Promise<void> | null = null;
  const run = async (close: Close) => {
    try {
      await close();
    } catch (error) {
      onError(error);
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
