import { parentPort, type Transferable, Worker } from 'node:worker_threads';

type Numbered<T> = { readonly id: number; readonly value: T };

/**
 * Asks a thread that answers tasks with {@link answerTasks}, one after another. It is started by the first task, and anew after it has ended. The
 * process may end unless somebody waits for an answer.
 *
 * Rejects if the thread ends before it has answered. `moved`: buffers of the task that this thread does not need any more.
 */
export function threadOf<Task, Answer>(
  file: URL,
  name: string,
): (task: Task, moved?: readonly Transferable[]) => Promise<Answer> {
  type Running = (task: Task, moved: readonly Transferable[]) => Promise<Answer>;
  let running: Running | null = null;

  function start(): Running {
    // The options that this process was started with, such as `--eval`, are not for the thread.
    const worker = new Worker(file, { name, execArgv: [] });
    const waiting = new Map<number, PromiseWithResolvers<Answer>>();
    let lastId = 0;
    let cause: unknown;
    worker.unref();
    worker.on('message', ({ id, value }: Numbered<Answer>) => {
      waiting.get(id)?.resolve(value);
      waiting.delete(id);
      if (waiting.size === 0) worker.unref();
    });
    worker.on('error', (error) => {
      cause = error;
    });
    worker.on('exit', () => {
      running = null;
      for (const { reject } of waiting.values()) reject(new Error(`The thread “${name}” has ended`, { cause }));
    });
    return (task, moved) => {
      const numbered: Numbered<Task> = { id: ++lastId, value: task };
      const answered = Promise.withResolvers<Answer>();
      waiting.set(numbered.id, answered);
      worker.ref();
      worker.postMessage(numbered, [...moved]);
      return answered.promise;
    };
  }

  return (task, moved = []) => {
    running ??= start();
    return running(task, moved);
  };
}

/** In the thread's own file. `moved`: the buffers of an answer, which are moved and not copied. An exception ends the thread. */
export function answerTasks<Task, Answer>(
  answer: (task: Task) => Answer,
  moved: (answer: Answer) => readonly Transferable[],
): void {
  parentPort?.on('message', ({ id, value }: Numbered<Task>) => {
    const numbered: Numbered<Answer> = { id, value: answer(value) };
    parentPort?.postMessage(numbered, [...moved(numbered.value)]);
  });
}
