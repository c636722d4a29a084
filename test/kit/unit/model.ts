import assert from 'node:assert/strict';
import type { AppId, UserId } from '../../../src/base/ids.ts';
import type { PasskeyUse } from '../../../src/identity/passkeys.ts';
import type { Session } from '../../../src/oauth/sessions.ts';
import type { Service } from '../../../src/service/service.ts';

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
  /** How a full user proves who they are on our pages. */
  readonly person?: {
    readonly session: Session;
    readonly passkey: { answer(use: PasskeyUse, from: Service): Promise<object> };
  };
};

/** A transfer the service has promised: it must exist for ever, as promised. */
export type Promised = {
  readonly requestId: string | null;
  readonly from: string;
  readonly to: string;
  readonly amount: number;
};

/** What a call with a key made: it has to be the same whenever the call is repeated. Ids, an address, an amount. */
export type Made = Readonly<Record<string, string | number | null>>;

/** A call with a key, as its caller makes it again, whatever was lost. */
export type KeyedCall = {
  /** Of the table of keyed calls. */
  readonly kind: string;
  readonly key: string;
  readonly input: object;
  /** The day (UTC) of its first answer: what it makes follows from its key and that day. */
  readonly day: string;
  /** What each of its lines has made; null if that line was refused. */
  readonly made: readonly (Made | null)[];
};

/** A reward that the operator was told is granted. */
export type Granted = { readonly userId: UserId; readonly amount: number; readonly key: string };

type Word = 'approved' | 'declined' | 'cancelled';

/** The answers that callers got. The service may never take any of them back. */
export type Model = {
  readonly apps: ModelApp[];
  /** The treasury's address. */
  treasury: string | null;
  /** An admin in the teams of the first apps. */
  developer: Session | null;
  readonly guests: ModelGuest[];
  /** Requests in the order they were made, with the guest each asks. */
  readonly requests: { readonly id: string; readonly guest: ModelGuest; readonly amount: number }[];
  /** The decision about a request; none while it is pending or has only expired. */
  readonly words: ReadonlyMap<string, Word>;
  /** By transfer id, or by request id if the caller got no other. */
  readonly promised: ReadonlyMap<string, Promised>;
  readonly keyed: KeyedCall[];
  /** By the reward's id. */
  readonly granted: ReadonlyMap<string, Granted>;
  /** Transfers that were seen as failed, even for a moment: the rewards they claimed could be spent again. */
  readonly everFailed: Set<string>;
  give(requestId: string, word: Word): void;
  /** What was said of it does not hold any more. */
  takeBack(requestId: string): void;
  grant(rewardId: string, granted: Granted): void;
  promise(key: string, transfer: Promised): void;
  /** It is known by another key from now on. */
  forget(key: string): void;
  copy(): Model;
};

type Known = Pick<
  Model,
  'treasury' | 'developer' | 'apps' | 'guests' | 'requests' | 'words' | 'promised' | 'keyed' | 'granted' | 'everFailed'
>;

export function createModel(from?: Known): Model {
  const words = new Map(from?.words);
  const promised = new Map(from?.promised);
  const granted = new Map(from?.granted);
  const model: Model = {
    apps: [...(from?.apps ?? [])],
    treasury: from?.treasury ?? null,
    developer: from?.developer ?? null,
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
    takeBack(requestId) {
      words.delete(requestId);
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
