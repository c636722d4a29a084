// Written by scripts/write-sdk-types.ts from docs/openapi.json: run npm run generate.

/** Why a call was refused (RFC 9457). */
export type Problem = {
  /** the same in every installation */
  readonly type: string;
  /** the same for every problem with this code */
  readonly title: string;
  /** the HTTP status */
  readonly status: number;
  /** a sentence for people */
  readonly detail: string;
  /** the code that programs should read */
  readonly code: string;
  /** the same as `detail` */
  readonly message: string;
  /** only for invalid input */
  readonly errors?: readonly ({
    /** a JSON pointer into the body (RFC 6901), or `path/…`, `query/…`, `header/…` */
    readonly pointer: string;
    /** what is wrong there */
    readonly detail: string;
  })[];
};

/** The player who is identified by the access token. */
export type User = {
  /** a user's id */
  readonly id: string;
  /** a user's id */
  readonly userId: string;
  /** empty without the scope profile */
  readonly displayName: string;
  /** empty for guests, and without the scope email */
  readonly email: string;
  /** whether the player has proved that the address is theirs */
  readonly emailVerified: boolean;
};

/** A player's account. Its id is its address. */
export type Account = {
  /** an Ethereum address with its EIP-55 checksum */
  readonly id: string;
  /** an Ethereum address with its EIP-55 checksum */
  readonly address: string;
  /** month, day, year and time, UTC */
  readonly created: string;
  /** a user's id */
  readonly userId: string;
};

/** The amount available now: the balance on the chain, less quarters held for transfers under way. */
export type Balance = {
  /** quarters */
  readonly quarters: string;
  /** the same with thousands separators */
  readonly formattedQuarters: string;
  /** in wei, of any size, at most five seconds old; while no chain node answers, as last known, with the header Ether-Age */
  readonly ethers: string;
  /** in ether, rounded down */
  readonly formattedEthers: string;
};

/** Quarters granted to the player but not claimed yet. Approved requests use them first. */
export type Reward = {
  /** quarters */
  readonly rewardAmount: string;
  /** the same with thousands separators */
  readonly rewardAmountFormatted: string;
};

/** A guest and its tokens. The tokens can spend the guest's quarters. */
export type Guest = {
  /** a user's id */
  readonly user_id: string;
  /** the guest's access token */
  readonly access_token: string;
  /** page token: opens the approval page */
  readonly firebase_token: string;
  /** an Ethereum address with its EIP-55 checksum */
  readonly address: string;
};

/** a JSON object */
export type NewRequest = {
  /** a whole number of quarters from 1 to 9007199254740991 */
  readonly tokens: number;
  /** an app's id, a string */
  readonly appId: string;
  /** a user's id, 28 letters and digits */
  readonly userId?: string;
  /** text of up to 280 characters, without U+0000 and halves of surrogate pairs, or null for none */
  readonly description?: string | null;
  /** a whole number of seconds from 60 to 86400, after which the request expires */
  readonly expiresIn?: number;
};

/** A moment: seconds since 1970 and the nanoseconds beyond, and the same in ISO 8601, UTC. */
export type Timestamp = {
  readonly seconds: number;
  readonly nanoseconds: number;
  readonly iso: string;
};

/** An app's request for a player's quarters. */
export type TransferRequest = {
  /** a request's id, a UUID */
  readonly id: string;
  /** quarters */
  readonly tokens: number;
  /** an app's id */
  readonly appId: string;
  /** an Ethereum address with its EIP-55 checksum */
  readonly appAddress: string;
  /** a request's id, a UUID */
  readonly embedCode: string;
  /** the text shown to the player */
  readonly description: string;
  /** always `transfer` */
  readonly type: "transfer";
  /** the path of the request */
  readonly endpoint: string;
  readonly created: Timestamp;
  /** a user's id */
  readonly userId: string;
};

/** A request and its status. */
export type RequestState = {
  /** a request's id, a UUID */
  readonly id: string;
  /** quarters */
  readonly tokens: number;
  /** an app's id */
  readonly appId: string;
  /** an Ethereum address with its EIP-55 checksum */
  readonly appAddress: string;
  /** a request's id, a UUID */
  readonly embedCode: string;
  /** the text shown to the player */
  readonly description: string;
  /** always `transfer` */
  readonly type: "transfer";
  /** the path of the request */
  readonly endpoint: string;
  readonly created: Timestamp;
  /** a user's id */
  readonly userId: string;
  readonly status: "pending" | "approved" | "submitted" | "completed" | "failed" | "declined" | "expired" | "cancelled";
  /** the hash of its Ethereum transaction; null until it is approved */
  readonly txId: string | null;
  /** when it was completed; null until then */
  readonly completed: Timestamp | null;
  /** quarters that were returned or are being returned */
  readonly refunded: number;
  /** the id of the payment that it refunds; null for a payment */
  readonly refundOf: string | null;
};

/** A page of a list. */
export type RequestList = {
  readonly data: readonly (RequestState)[];
  /** the cursor of the next page; null on the last page */
  readonly next: string | null;
  /** on the last page, if the operator has archived old payments: what was made before is not listed */
  readonly archivedBefore?: string;
};

/** a JSON object */
export type AutoApproval = {
  /** an app's id, a string */
  readonly clientId: string;
  /** a user's id, 28 letters and digits */
  readonly userId: string;
  /** an Ethereum address, 0x and 40 hexadecimal digits, with a right checksum where its letter case is mixed */
  readonly address?: string;
};

/** The transfer is signed and stored, and cannot be revoked. The hash is known before the transaction is sent. */
export type TransferOutcome = {
  /** a request's id, a UUID */
  readonly requestId: string;
  /** the hash of an Ethereum transaction */
  readonly txId: string;
};

export type NewRefund = {
  /** a whole number of quarters from 1 to 9007199254740991 */
  readonly amount?: number;
};

/** The refund, which is a request of its own. It is signed and stored. */
export type RefundOutcome = {
  /** a request's id, a UUID */
  readonly requestId: string;
  /** the hash of an Ethereum transaction */
  readonly txId: string;
  /** a request's id, a UUID */
  readonly refundOf: string;
  /** quarters */
  readonly amount: number;
};

/** a JSON object */
export type NewTransfer = {
  /** a whole number of quarters from 1 to 9007199254740991 */
  readonly amount: number;
  /** a user's id, 28 letters and digits */
  readonly user?: string;
  /** an Ethereum address, 0x and 40 hexadecimal digits, with a right checksum where its letter case is mixed */
  readonly address?: string;
};

/** The body of a webhook, with the id of the event. */
export type AppEvent = {
  /** the event's id */
  readonly id: string;
  /** one of request.approved, request.declined, request.expired, request.cancelled, request.completed, request.reorged, request.failed, transfer.completed, transfer.reorged, transfer.failed, guest.converted, guest.merged */
  readonly type: "request.approved" | "request.declined" | "request.expired" | "request.cancelled" | "request.completed" | "request.reorged" | "request.failed" | "transfer.completed" | "transfer.reorged" | "transfer.failed" | "guest.converted" | "guest.merged";
  /** when it happened (ISO 8601, UTC) */
  readonly timestamp: string;
  /** the object that the event is about, as it was then */
  readonly data: {
    /** the number of this event among those of one request, transfer or guest */
    readonly sequence: number;
    /** present in a test event, which is about something that does not exist */
    readonly test?: true;
  } & Readonly<Record<string, unknown>>;
};

/** Events, oldest first. `next` is the cursor of the next page, and null on the last page. */
export type EventList = {
  readonly data: readonly (AppEvent)[];
  readonly next: string | null;
};

export type Redelivery = {
  /** an endpoint's id */
  readonly endpoint?: string;
};

/** The event and the endpoints that it is sent to again. */
export type Redelivered = {
  /** the event's id */
  readonly id: string;
  /** the ids of the endpoints that it is sent to */
  readonly endpoints: readonly (string)[];
};

/** An address that events are sent to. */
export type WebhookEndpoint = {
  /** the endpoint's id, a UUID */
  readonly id: string;
  /** where events are sent */
  readonly url: string;
  /** null: all types, including future ones */
  readonly types: readonly ("request.approved" | "request.declined" | "request.expired" | "request.cancelled" | "request.completed" | "request.reorged" | "request.failed" | "transfer.completed" | "transfer.reorged" | "transfer.failed" | "guest.converted" | "guest.merged")[] | null;
  /** whether events are sent to it */
  readonly enabled: boolean;
  /** owner: disabled by its owner; gone: it answered 410; failing: it failed for three days */
  readonly disabledReason: "owner" | "gone" | "failing" | null;
  /** null: the last delivery succeeded */
  readonly failingSince: Timestamp | null;
  readonly created: Timestamp;
};

/** All endpoints of an app, at most five, oldest first. */
export type WebhookEndpointList = {
  readonly data: readonly (WebhookEndpoint)[];
  readonly next: null;
};

/** a JSON object */
export type NewWebhookEndpoint = {
  /** an https:// address of the public internet */
  readonly url: string;
  /** a list of event types; null for all, including future ones */
  readonly types?: readonly ("request.approved" | "request.declined" | "request.expired" | "request.cancelled" | "request.completed" | "request.reorged" | "request.failed" | "transfer.completed" | "transfer.reorged" | "transfer.failed" | "guest.converted" | "guest.merged")[] | null;
};

/** A new endpoint, with its secret. */
export type AddedWebhookEndpoint = {
  /** the endpoint's id, a UUID */
  readonly id: string;
  /** where events are sent */
  readonly url: string;
  /** null: all types, including future ones */
  readonly types: readonly ("request.approved" | "request.declined" | "request.expired" | "request.cancelled" | "request.completed" | "request.reorged" | "request.failed" | "transfer.completed" | "transfer.reorged" | "transfer.failed" | "guest.converted" | "guest.merged")[] | null;
  /** whether events are sent to it */
  readonly enabled: boolean;
  /** owner: disabled by its owner; gone: it answered 410; failing: it failed for three days */
  readonly disabledReason: "owner" | "gone" | "failing" | null;
  /** null: the last delivery succeeded */
  readonly failingSince: Timestamp | null;
  readonly created: Timestamp;
  /** signs each delivery; shown only once */
  readonly secret: string;
};

/** a JSON object */
export type WebhookEndpointChange = {
  /** an https:// address of the public internet */
  readonly url?: string;
  /** a list of event types; null for all, including future ones */
  readonly types?: readonly ("request.approved" | "request.declined" | "request.expired" | "request.cancelled" | "request.completed" | "request.reorged" | "request.failed" | "transfer.completed" | "transfer.reorged" | "transfer.failed" | "guest.converted" | "guest.merged")[] | null;
  /** true or false */
  readonly enabled?: boolean;
};

/** The new secret, and how long the old secret keeps signing. */
export type RotatedSecret = {
  /** signs each delivery; shown only once */
  readonly secret: string;
  readonly previousUntil: Timestamp;
};

/** a JSON object */
export type NewTransferLine = {
  /** a whole number of quarters from 1 to 9007199254740991 */
  readonly amount: number;
  /** a user's id, 28 letters and digits */
  readonly user?: string;
  /** an Ethereum address, 0x and 40 hexadecimal digits, with a right checksum where its letter case is mixed */
  readonly address?: string;
  /** a text of up to 100 characters, your own name for this line */
  readonly reference?: string;
};

/** a JSON object */
export type NewTransfers = {
  /** a list of 1 to 1000 transfers */
  readonly transfers: readonly (NewTransferLine)[];
};

/** The outcome of a line: `requestId` and `txId`, or `error`. */
export type TransferLine = {
  /** a request's id, a UUID */
  readonly requestId?: string;
  /** the hash of an Ethereum transaction */
  readonly txId?: string;
  readonly error?: Problem;
  /** a text of up to 100 characters, your own name for this line */
  readonly reference?: string;
};

/** The outcome of each line, in order. */
export type TransferLines = {
  /** the outcomes, in the order of the lines */
  readonly transfers: readonly (TransferLine)[];
};

/** A movement of quarters from one account to another. */
export type Transfer = {
  /** a transfer's id, a UUID */
  readonly id: string;
  /** a request's id, a UUID */
  readonly requestId: string;
  /** an Ethereum address with its EIP-55 checksum */
  readonly from: string;
  /** an Ethereum address with its EIP-55 checksum */
  readonly to: string;
  /** quarters */
  readonly amount: number;
  readonly status: "approved" | "submitted" | "completed" | "failed";
  /** the hash of an Ethereum transaction */
  readonly txId: string;
  readonly created: Timestamp;
  /** when its request was completed; null until then */
  readonly completed: Timestamp | null;
  /** the id of the payment that it refunds; null for others */
  readonly refundOf: string | null;
};

/** A page of a list. */
export type TransferList = {
  readonly data: readonly (Transfer)[];
  /** the cursor of the next page; null on the last page */
  readonly next: string | null;
  /** on the last page, if the operator has archived old payments: what was made before is not listed */
  readonly archivedBefore?: string;
};

/** A public key (RFC 7517). */
export type PublicKey = {
  readonly kty: string;
  readonly crv: string;
  /** base64url */
  readonly x: string;
  /** base64url */
  readonly y: string;
  /** the key id that signed results name */
  readonly kid: string;
  readonly use: string;
  readonly alg: string;
};

/** A JWK set (RFC 7517) for verifying signed results. */
export type PublicKeys = {
  readonly keys: readonly (PublicKey)[];
};

/** Something that happened. */
export type WebhookMessage = {
  /** one of request.approved, request.declined, request.expired, request.cancelled, request.completed, request.reorged, request.failed, transfer.completed, transfer.reorged, transfer.failed, guest.converted, guest.merged */
  readonly type: "request.approved" | "request.declined" | "request.expired" | "request.cancelled" | "request.completed" | "request.reorged" | "request.failed" | "transfer.completed" | "transfer.reorged" | "transfer.failed" | "guest.converted" | "guest.merged";
  /** when it happened (ISO 8601, UTC) */
  readonly timestamp: string;
  /** the object that the event is about, as it was then */
  readonly data: {
    /** the number of this event among those of one request, transfer or guest */
    readonly sequence: number;
    /** present in a test event, which is about something that does not exist */
    readonly test?: true;
  } & Readonly<Record<string, unknown>>;
};

/** What `code` of a refused call can be, as far as this version knows. */
export type ProblemCode =
  | "account-closed"
  | "account-frozen"
  | "amount-too-large"
  | "app-backlog-full"
  | "app-mismatch"
  | "app-suspended"
  | "archived"
  | "auto-approve-limit"
  | "auto-approve-not-enabled"
  | "auto-approve-not-granted"
  | "body-too-large"
  | "credential-not-allowed"
  | "database-unavailable"
  | "guest-limit"
  | "idempotency-mismatch"
  | "insufficient-quarters"
  | "insufficient-scope"
  | "internal"
  | "invalid-input"
  | "key-limit"
  | "limit-reached"
  | "malformed-json"
  | "not-found"
  | "not-refundable"
  | "outcome-unknown"
  | "overloaded"
  | "payments-suspended"
  | "quarters-unconfirmed"
  | "rate-limited"
  | "recipient-mismatch"
  | "refund-too-large"
  | "request-decided"
  | "token-expired"
  | "token-invalid"
  | "token-missing"
  | "unsupported-media-type";

/** Codes of faults (5xx) after which a call has certainly moved no quarters. */
export const NOTHING_DECIDED: readonly string[] = [
  'overloaded',
  'payments-suspended',
  'database-unavailable',
];
