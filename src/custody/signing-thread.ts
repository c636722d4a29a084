import { parentPort } from 'node:worker_threads';
import { type Digests, signDigests } from './signer.ts';

/*
 * The thread that sign-many.ts starts. It is a part of custody: it has the keys of a task until it has signed with them.
 */

export type SigningTask = Digests & { readonly id: number };

/** `signatures`: see {@link signDigests}. */
export type SigningReply = { readonly id: number; readonly signatures: Uint8Array<ArrayBuffer> };

parentPort?.on('message', (task: SigningTask) => {
  const signatures = signDigests(task);
  const reply: SigningReply = { id: task.id, signatures };
  parentPort?.postMessage(reply, [signatures.buffer]);
});
