import { outsideContext } from './log.ts';

type Options = {
  /** The most keys that one batch asks for. */
  readonly mostKeys: number;
  /** The most batches under way. A call that arrives meanwhile waits and shares the next one. */
  readonly mostUnderWay: number;
};

type Question<Answer> = PromiseWithResolvers<Answer | null>;

/**
 * Asks for many keys at once: calls that arrive in one turn of the event loop, or while `mostUnderWay` batches are under way, share
 * the next batch. It begins after all its calls have arrived, so no answer is older than its call. Nothing is kept.
 *
 * `ask` gets distinct keys and resolves to the answers it has; the answer to any other key is null. If it fails, the calls that
 * share the batch reject.
 */
export function sharedBatches<Answer>(
  ask: (keys: readonly string[]) => Promise<ReadonlyMap<string, Answer>>,
  { mostKeys, mostUnderWay }: Options,
): (key: string) => Promise<Answer | null> {
  /** Oldest first. */
  const waiting = new Map<string, Question<Answer>>();
  let underWay = 0;
  let isScheduled = false;

  /** Begins the next batch when the calls that have arrived already are all known. */
  function schedule(): void {
    if (isScheduled || waiting.size === 0 || underWay === mostUnderWay) return;
    isScheduled = true;
    setImmediate(begin);
  }

  function begin(): void {
    isScheduled = false;
    const batch: [string, Question<Answer>][] = [];
    for (const entry of waiting) {
      batch.push(entry);
      waiting.delete(entry[0]);
      if (batch.length === mostKeys) break;
    }
    underWay++;
    void answer(batch);
    schedule();
  }

  async function answer(batch: readonly [string, Question<Answer>][]): Promise<void> {
    try {
      const answers = await ask(batch.map(([key]) => key));
      for (const [key, { resolve }] of batch) resolve(answers.get(key) ?? null);
    } catch (error) {
      for (const [, { reject }] of batch) reject(error);
    }
    underWay--;
    schedule();
  }

  return (key) => {
    let question = waiting.get(key);
    if (!question) {
      question = Promise.withResolvers();
      waiting.set(key, question);
      // A batch belongs to no single call.
      outsideContext(schedule);
    }
    return question.promise;
  };
}
