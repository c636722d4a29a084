// Written by scripts/write-emulator-api.ts from the controls of the emulator: run npm run generate.

export type ReadStateResult = {
  /** The origin of the service */
  readonly url: string;
  readonly now: string;
  readonly frozen: boolean;
  readonly block: number;
  /** Whether the service reaches its node */
  readonly reachable: boolean;
  readonly blocks: "instant" | "manual" | number;
  readonly snapshots: readonly (string)[];
};

export type ResetInput = {
  readonly to?: string;
};

export type TakeSnapshotInput = {
  readonly name: string;
};

export type ReadHappenedResult = {
  readonly calls: readonly ({
    readonly at: string;
    readonly method: string;
    readonly path: string;
    readonly status: number | null;
    readonly ms: number;
  })[];
  readonly requests: readonly ({
    readonly id: string;
    readonly app: string;
    readonly player: string;
    readonly amount: number;
    readonly status: string;
    readonly at: string;
  })[];
  readonly events: readonly ({
    readonly id: string;
    readonly app: string;
    readonly type: string;
    readonly request: string | null;
    readonly delivered: number;
    readonly waiting: number;
    readonly at: string;
  })[];
  readonly blocks: readonly ({
    readonly number: number;
    readonly hash: string;
    readonly transactions: number;
    readonly at: string;
  })[];
};

export type SetTimeInput = {
  readonly to: string;
};

export type SetTimeResult = {
  readonly now: string;
  readonly frozen: boolean;
  /** At how many moments on the way, the last one included, what was due was done */
  readonly stops: number;
};

export type AdvanceTimeInput = {
  readonly by: string | number;
};

export type AdvanceTimeResult = {
  readonly now: string;
  readonly frozen: boolean;
  /** At how many moments on the way, the last one included, what was due was done */
  readonly stops: number;
};

export type FreezeTimeResult = {
  readonly now: string;
  readonly frozen: boolean;
};

export type LetTimeGoOnResult = {
  readonly now: string;
  readonly frozen: boolean;
};

export type CreateAppInput = {
  readonly name?: string;
  readonly quarters?: number;
  /** The address of the game's server that takes events */
  readonly webhook?: string;
  readonly redirectUris?: readonly (string)[];
  readonly frameAncestors?: readonly (string)[];
  readonly resultOrigins?: readonly (string)[];
  readonly publicClient?: boolean;
  readonly autoApprove?: boolean;
};

export type CreateAppResult = {
  readonly id: string;
  readonly address: string;
  readonly serverKey: string;
  readonly clientSecret: string | null;
  /** Null without a webhook */
  readonly webhookSecret: string | null;
};

export type CreatePlayerInput = {
  readonly app: string;
  readonly quarters?: number;
  readonly guest?: boolean;
  readonly email?: string;
  readonly displayName?: string;
  /** Quarters a day that the app may take without asking */
  readonly approves?: number;
};

export type CreatePlayerResult = {
  readonly id: string;
  readonly kind: "guest" | "full";
  readonly address: string;
  readonly accessToken: string;
  /** A full user's */
  readonly refreshToken: string | null;
  /** A guest's firebase_token */
  readonly pageToken: string | null;
  /** With the password, what signs a full user in on the pages */
  readonly email: string | null;
  readonly password: string | null;
};

export type ApproveInput = {
  readonly request: string;
  readonly askEveryTime?: boolean;
  /** Quarters a day that the app may take without asking */
  readonly limit?: number;
};

export type ApproveResult = {
  readonly outcome: string;
  readonly requestId: string;
  readonly txId?: string;
};

export type DeclineInput = {
  readonly request: string;
};

export type DeclineResult = {
  readonly outcome: string;
  readonly requestId: string;
  readonly txId?: string;
};

export type ReportProblemInput = {
  readonly request: string;
  readonly reason?: "wrong-payment" | "pretends" | "other";
  readonly text?: string;
};

export type SignUpInput = {
  readonly email?: string;
  readonly displayName?: string;
};

export type SignUpResult = {
  readonly id: string;
  readonly kind: "guest" | "full";
  readonly address: string;
  readonly accessToken: string;
  /** A full user's */
  readonly refreshToken: string | null;
  /** A guest's firebase_token */
  readonly pageToken: string | null;
  /** With the password, what signs a full user in on the pages */
  readonly email: string | null;
  readonly password: string | null;
};

export type WithdrawInput = {
  readonly to: string;
  readonly amount: number;
};

export type WithdrawResult = {
  readonly transferId: string;
  readonly txId: string;
};

export type SetBlocksInput = {
  readonly mode: "instant" | "manual" | number;
};

export type MineInput = {
  readonly blocks?: number;
};

export type ReorganizeInput = {
  readonly depth: number;
  /** txIds */
  readonly without?: readonly (string)[];
};

export type SetFeesInput = {
  readonly gwei: number | null;
};

export type ArmOutcomeInput = {
  /** An operationId of the service's API */
  readonly operation: "getMe" | "listAccounts" | "getBalance" | "getRewards" | "createGuest" | "createGuestTokens" | "createRequest" | "listRequests" | "getRequest" | "autoApproveRequest" | "cancelRequest" | "refundRequest" | "transfer" | "listEvents" | "redeliverEvent" | "listWebhookEndpoints" | "addWebhookEndpoint" | "getWebhookEndpoint" | "changeWebhookEndpoint" | "removeWebhookEndpoint" | "rotateWebhookSecret" | "transferToMany" | "listTransfers" | "getTransfer" | "getKeys" | "any";
  /** The id of the app that calls. Left out: any */
  readonly app?: string;
  /** Quarters that the call names. Left out: any */
  readonly amount?: number;
  /** For how many calls. 1 if it is left out */
  readonly times?: number;
  readonly outcome: {
    /** The code of the problem that refuses the call. Nothing is done */
    readonly fails?: "invalid-input" | "malformed-json" | "recipient-mismatch" | "amount-too-large" | "token-missing" | "token-invalid" | "token-expired" | "insufficient-quarters" | "credential-not-allowed" | "insufficient-scope" | "key-limit" | "role-not-allowed" | "app-mismatch" | "confirmation-needed" | "auto-approve-not-enabled" | "auto-approve-not-granted" | "auto-approve-limit" | "account-frozen" | "app-suspended" | "not-found" | "method-not-allowed" | "request-timeout" | "request-decided" | "not-refundable" | "quarters-unconfirmed" | "refund-too-large" | "account-closed" | "limit-reached" | "archived" | "body-too-large" | "idempotency-mismatch" | "headers-too-large" | "rate-limited" | "too-many-tries" | "guest-limit" | "app-backlog-full" | "unsupported-media-type" | "internal" | "outcome-unknown" | "overloaded" | "payments-suspended" | "chain-unavailable" | "database-unavailable";
    /** The call is done at once, and answered after so much real time, up to 10 minutes */
    readonly answersAfter?: string | number;
    /** The call is done, and the connection is cut instead of an answer */
    readonly answerIsLost?: true;
    /** The payment's first transaction reverts */
    readonly isRevertedOnChain?: true;
    /** A reorganisation takes the payment back, once it is completed */
    readonly isReorganizedAway?: true;
  };
};

export type ListOutcomesResult = {
  readonly outcomes: readonly ({
    /** An operationId of the service's API */
    readonly operation: "getMe" | "listAccounts" | "getBalance" | "getRewards" | "createGuest" | "createGuestTokens" | "createRequest" | "listRequests" | "getRequest" | "autoApproveRequest" | "cancelRequest" | "refundRequest" | "transfer" | "listEvents" | "redeliverEvent" | "listWebhookEndpoints" | "addWebhookEndpoint" | "getWebhookEndpoint" | "changeWebhookEndpoint" | "removeWebhookEndpoint" | "rotateWebhookSecret" | "transferToMany" | "listTransfers" | "getTransfer" | "getKeys" | "any";
    /** The id of the app that calls. Left out: any */
    readonly app?: string;
    /** Quarters that the call names. Left out: any */
    readonly amount?: number;
    /** For how many calls. 1 if it is left out */
    readonly times: number;
    readonly outcome: {
      /** The code of the problem that refuses the call. Nothing is done */
      readonly fails?: "invalid-input" | "malformed-json" | "recipient-mismatch" | "amount-too-large" | "token-missing" | "token-invalid" | "token-expired" | "insufficient-quarters" | "credential-not-allowed" | "insufficient-scope" | "key-limit" | "role-not-allowed" | "app-mismatch" | "confirmation-needed" | "auto-approve-not-enabled" | "auto-approve-not-granted" | "auto-approve-limit" | "account-frozen" | "app-suspended" | "not-found" | "method-not-allowed" | "request-timeout" | "request-decided" | "not-refundable" | "quarters-unconfirmed" | "refund-too-large" | "account-closed" | "limit-reached" | "archived" | "body-too-large" | "idempotency-mismatch" | "headers-too-large" | "rate-limited" | "too-many-tries" | "guest-limit" | "app-backlog-full" | "unsupported-media-type" | "internal" | "outcome-unknown" | "overloaded" | "payments-suspended" | "chain-unavailable" | "database-unavailable";
      /** The call is done at once, and answered after so much real time, up to 10 minutes */
      readonly answersAfter?: string | number;
      /** The call is done, and the connection is cut instead of an answer */
      readonly answerIsLost?: true;
      /** The payment's first transaction reverts */
      readonly isRevertedOnChain?: true;
      /** A reorganisation takes the payment back, once it is completed */
      readonly isReorganizedAway?: true;
    };
  })[];
};

export type HoldWebhooksInput = {
  /** Whose events. Left out: those of all apps */
  readonly app?: string;
};

export type ReleaseWebhooksInput = {
  /** Whose events. Left out: those of all apps */
  readonly app?: string;
  /** as-they-came if it is left out */
  readonly order?: "as-they-came" | "reversed" | "shuffled";
  /** Of shuffled: the same one gives the same order. A new one if it is left out */
  readonly seed?: number;
};

export type ReleaseWebhooksResult = {
  readonly released: number;
  readonly seed: number;
};

export type DuplicateWebhooksInput = {
  /** Whose events. Left out: those of all apps */
  readonly app?: string;
  /** For how many deliveries */
  readonly times?: number;
};

export type DelayWebhooksInput = {
  /** Whose events. Left out: those of all apps */
  readonly app?: string;
  /** For how many deliveries */
  readonly times?: number;
  readonly by: string | number;
};

export type DropWebhooksInput = {
  /** Whose events. Left out: those of all apps */
  readonly app?: string;
  /** For how many deliveries */
  readonly times?: number;
};

export type ReadWebhooksResult = {
  readonly held: readonly (string)[];
  readonly armed: readonly ({
    readonly kind: "duplicate" | "delay" | "drop";
    /** Whose events. Left out: those of all apps */
    readonly app?: string;
    /** For how many deliveries */
    readonly times: number;
    readonly ms?: number;
  })[];
};

/** Why an operation was refused */
export type Fault = {
  /** For programs */
  readonly code: string;
  /** For people */
  readonly message: string;
};

/** Method and path of each operation. */
export const OPERATIONS = {
  readState: ['GET', '/state'],
  reset: ['POST', '/reset'],
  takeSnapshot: ['POST', '/snapshots'],
  settle: ['POST', '/settle'],
  readHappened: ['GET', '/happened'],
  setTime: ['POST', '/time/set'],
  advanceTime: ['POST', '/time/advance'],
  freezeTime: ['POST', '/time/freeze'],
  letTimeGoOn: ['POST', '/time/go-on'],
  createApp: ['POST', '/apps'],
  createPlayer: ['POST', '/players'],
  approve: ['POST', '/players/{player}/approve'],
  decline: ['POST', '/players/{player}/decline'],
  reportProblem: ['POST', '/players/{player}/reports-problem'],
  signUp: ['POST', '/players/{player}/sign-up'],
  closeAccount: ['POST', '/players/{player}/closes-account'],
  withdraw: ['POST', '/players/{player}/withdraws'],
  setBlocks: ['POST', '/chain/blocks'],
  mine: ['POST', '/chain/mine'],
  reorganize: ['POST', '/chain/reorganize'],
  setFees: ['POST', '/chain/fees'],
  chainDown: ['POST', '/chain/down'],
  chainUp: ['POST', '/chain/up'],
  armOutcome: ['POST', '/outcomes'],
  listOutcomes: ['GET', '/outcomes'],
  forgetOutcomes: ['DELETE', '/outcomes'],
  holdWebhooks: ['POST', '/webhooks/hold'],
  releaseWebhooks: ['POST', '/webhooks/release'],
  duplicateWebhooks: ['POST', '/webhooks/duplicate'],
  delayWebhooks: ['POST', '/webhooks/delay'],
  dropWebhooks: ['POST', '/webhooks/drop'],
  deliverWebhooks: ['POST', '/webhooks/delivered'],
  readWebhooks: ['GET', '/webhooks'],
  forgetWebhooks: ['DELETE', '/webhooks'],
} as const;

/** What each operation takes, the parameters of its path included. */
export type Inputs = {
  readonly readState: Readonly<Record<string, never>>;
  readonly reset: ResetInput;
  readonly takeSnapshot: TakeSnapshotInput;
  readonly settle: Readonly<Record<string, never>>;
  readonly readHappened: Readonly<Record<string, never>>;
  readonly setTime: SetTimeInput;
  readonly advanceTime: AdvanceTimeInput;
  readonly freezeTime: Readonly<Record<string, never>>;
  readonly letTimeGoOn: Readonly<Record<string, never>>;
  readonly createApp: CreateAppInput;
  readonly createPlayer: CreatePlayerInput;
  readonly approve: { readonly player: string } & ApproveInput;
  readonly decline: { readonly player: string } & DeclineInput;
  readonly reportProblem: { readonly player: string } & ReportProblemInput;
  readonly signUp: { readonly player: string } & SignUpInput;
  readonly closeAccount: { readonly player: string };
  readonly withdraw: { readonly player: string } & WithdrawInput;
  readonly setBlocks: SetBlocksInput;
  readonly mine: MineInput;
  readonly reorganize: ReorganizeInput;
  readonly setFees: SetFeesInput;
  readonly chainDown: Readonly<Record<string, never>>;
  readonly chainUp: Readonly<Record<string, never>>;
  readonly armOutcome: ArmOutcomeInput;
  readonly listOutcomes: Readonly<Record<string, never>>;
  readonly forgetOutcomes: Readonly<Record<string, never>>;
  readonly holdWebhooks: HoldWebhooksInput;
  readonly releaseWebhooks: ReleaseWebhooksInput;
  readonly duplicateWebhooks: DuplicateWebhooksInput;
  readonly delayWebhooks: DelayWebhooksInput;
  readonly dropWebhooks: DropWebhooksInput;
  readonly deliverWebhooks: Readonly<Record<string, never>>;
  readonly readWebhooks: Readonly<Record<string, never>>;
  readonly forgetWebhooks: Readonly<Record<string, never>>;
};

/** What each operation answers. */
export type Results = {
  readonly readState: ReadStateResult;
  readonly reset: undefined;
  readonly takeSnapshot: undefined;
  readonly settle: undefined;
  readonly readHappened: ReadHappenedResult;
  readonly setTime: SetTimeResult;
  readonly advanceTime: AdvanceTimeResult;
  readonly freezeTime: FreezeTimeResult;
  readonly letTimeGoOn: LetTimeGoOnResult;
  readonly createApp: CreateAppResult;
  readonly createPlayer: CreatePlayerResult;
  readonly approve: ApproveResult;
  readonly decline: DeclineResult;
  readonly reportProblem: undefined;
  readonly signUp: SignUpResult;
  readonly closeAccount: undefined;
  readonly withdraw: WithdrawResult;
  readonly setBlocks: undefined;
  readonly mine: undefined;
  readonly reorganize: undefined;
  readonly setFees: undefined;
  readonly chainDown: undefined;
  readonly chainUp: undefined;
  readonly armOutcome: undefined;
  readonly listOutcomes: ListOutcomesResult;
  readonly forgetOutcomes: undefined;
  readonly holdWebhooks: undefined;
  readonly releaseWebhooks: ReleaseWebhooksResult;
  readonly duplicateWebhooks: undefined;
  readonly delayWebhooks: undefined;
  readonly dropWebhooks: undefined;
  readonly deliverWebhooks: undefined;
  readonly readWebhooks: ReadWebhooksResult;
  readonly forgetWebhooks: undefined;
};
