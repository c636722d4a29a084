import assert from 'node:assert/strict';
import type { AppId, UserId } from '../../../src/base/ids.ts';

export type ModelApp = {
  readonly id: AppId;
  readonly address: string;
  readonly autoApprove: boolean;
  /** The hash of its server API key that asks and approves, with a cap on each. */
  readonly keyHash: Buffer;
};
export type ModelGuest = {
  readonly userId: UserId;
  readonly address: string;
  readonly pageToken: string;
  readonly app: ModelApp;
  /** A full user, who can get rewards; they keep a guest's tokens. */
  readonly full: boolean;
};

/** A transfer the service has promised: it must exist for ever, as promised. */
export type Promised = {
  readonly requestId: string | null;
  readonly from: string;
  readonly to: string;
  readonly amount: number;
};

/** A payment that a game made with an Idempotency-Key, and may make again. */
export type KeyedPayment = {
  readonly key: string;
  readonly guest: ModelGuest;
  readonly amount: number;
  /** The transfer and the request of the last answer; null if they are lost. */
  readonly transferId: string | null;
  readonly requestId: string | null;
};

/** A reward that the operator was told is granted. */
export type Granted = { readonly userId: UserId; readonly amount: number; readonly key: string };

type Word = 'approved' | 'declined' | 'cancelled';

/** The answers that callers got. The service may never take any of them back. */
export type Model = {
  readonly apps: ModelApp[];
  readonly guests: ModelGuest[];
  /** Requests in the order they were made, with the guest each asks. */
  readonly requests: { readonly id: string; readonly guest: ModelGuest; readonly amount: number }[];
  /** The decision about a request; none while it is pending or has only expired. */
  readonly words: ReadonlyMap<string, Word>;
  /** By transfer id, or by request id if the caller got no other. */
  readonly promised: ReadonlyMap<string, Promised>;
  readonly keyed: KeyedPayment[];
  /** By the reward's id. */
  readonly granted: ReadonlyMap<string, Granted>;
  /** Transfers that were seen as failed, even for a moment: the rewards they claimed could be spent again. */
  readonly everFailed: Set<string>;
  give(requestId: string, word: Word): void;
  grant(rewardId: string, granted: Granted): void;
  promise(key: string, transfer: Promised): void;
  /** It is known by another key from now on. */
  forget(key: string): void;
  copy(): Model;
};

type Known = Pick<Model, 'apps' | 'guests' | 'requests' | 'words' | 'promised' | 'keyed' | 'granted' | 'everFailed'>;

export function createModel(from?: Known): Model {
  const words = new Map(from?.words);
  const promised = new Map(from?.promised);
  const granted = new Map(from?.granted);
  const model: Model = {
    apps: [...(from?.apps ?? [])],
    guests: [...(from?.guests ?? [])],
    requests: [...(from?.requests ?? [])],
    keyed: [...(from?.keyed ?? [])],
    words,
    promised,
    granted,
    everFailed: new Set(from?.everFailed),
    grant(rewardId, given) {
      const earlier = granted.get(rewardId);
      if (earlier) assert.deepEqual(given, earlier, 'the same grant');
      granted.set(rewardId, given);
    },
    give(requestId, word) {
      const earlier = words.get(requestId);
      assert.ok(!earlier || earlier === word, `request ${requestId} was ${earlier} and is now ${word}`);
      words.set(requestId, word);
    },
    promise(key, transfer) {
      const earlier = promised.get(key);
      if (earlier) assert.deepEqual(transfer, earlier, 'the same promise');
      promised.set(key, transfer);
    },
    forget(key) {
      promised.delete(key);
    },
    copy: () => createModel(model),
  };
  return model;
}
