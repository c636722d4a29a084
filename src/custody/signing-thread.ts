import { answerTasks } from '../base/thread.ts';
import { signDigests } from './signer.ts';

/*
 * The thread of sign-many.ts. It is a part of custody: it has the keys of a task until it has signed with them.
 */

answerTasks(signDigests, (signatures) => [signatures.buffer]);
