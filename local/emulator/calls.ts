import type { World } from './world.ts';

/** A call of the public port, as the emulator's page shows it. */
export type SeenCall = {
  readonly at: string;
  readonly method: string;
  /** Without the query, which may hold a token. */
  readonly path: string;
  /** Null: the caller went away, or got no answer. */
  readonly status: number | null;
  readonly ms: number;
};

const KEPT = 100;

/** The newest calls, the newest first. */
export type SeenCalls = { list(): readonly SeenCall[]; forget(): void };

export function watchCalls({ onCall, time }: World): SeenCalls {
  let calls: SeenCall[] = [];
  onCall.unshift((request, response, handle) => {
    const began = performance.now();
    const [path = ''] = (request.url ?? '').split('?');
    response.once('close', () => {
      const call = {
        at: new Date(time.now()).toISOString(),
        method: request.method ?? '',
        path,
        status: response.writableFinished ? response.statusCode : null,
        ms: Math.round(performance.now() - began),
      };
      calls = [call, ...calls].slice(0, KEPT);
    });
    handle(request, response);
  });
  return {
    list: () => calls,
    forget() {
      calls = [];
    },
  };
}
