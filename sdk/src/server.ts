import type {
  AddedWebhookEndpoint,
  AppEvent,
  Balance,
  Guest,
  NewRequest,
  Redelivered,
  RefundOutcome,
  RequestState,
  Transfer,
  TransferLine,
  TransferOutcome,
  TransferRequest,
} from './api.generated.ts';
import { type Filter, walk } from './lists.ts';
import { type CallOptions, type Transport, type TransportOptions, transport } from './transport.ts';

export type ServerOptions = TransportOptions & {
  /** The API's origin: `https://quarters.example`. */
  readonly url: string;
  /** Where guests are made, where the operator has set that apart. */
  readonly guestsUrl?: string;
  /** The app's server API key. It stays on your server. */
  readonly serverKey: string;
  /** The address of the app's own account, from which it pays. */
  readonly appAddress: string;
  /** The app's id, which {@link QuartersServer.ask} needs. */
  readonly appId?: string;
};

/** A key of your own for what must happen once, such as an order's id; a random one, good for this call's own tries, unless given. */
export type Once = CallOptions & { readonly idempotencyKey?: string };

/** `waitSeconds`: the answer waits for the chain, so long at the most; without, it comes once the transfer is irrevocable. */
export type Paying = Once & { readonly waitSeconds?: number };

export type Recipient = { readonly user: string } | { readonly address: string };

export type Payment = Recipient & { readonly amount: number };

/** What a player is asked for. `expiresIn`: seconds until the request expires, the operator's usual time unless given. */
export type Asking = Pick<NewRequest, 'tokens' | 'description' | 'expiresIn'>;

/** One of many payments. `reference`: a word of yours, which comes back with its outcome. */
export type PaymentLine = Payment & { readonly reference?: string };

type RequestFilter = {
  /** Such as `completed`; several with commas between them. */
  readonly status?: string;
  readonly userId?: string;
  /** Moments in ISO 8601. */
  readonly createdFrom?: string;
  readonly createdBefore?: string;
};

type TransferFilter = RequestFilter & { readonly requestId?: string; readonly direction?: 'in' | 'out' };

/**
 * The service, for a game's server. All amounts are whole numbers of quarters. Calls reject with `QuartersError`, whose `code` is a
 * word of the service's documentation, or with `ConnectionError`; what can be tried again safely has been.
 */
export class QuartersServer {
  readonly #options: ServerOptions;
  readonly #call: Transport;
  readonly #callGuests: Transport;

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#call = transport(options.url, options);
    this.#callGuests = transport(options.guestsUrl ?? options.url, options);
  }

  /** A new guest, in the app's hands. Store its tokens: they are shown this once. */
  async createGuest(options: Once = {}): Promise<Guest> {
    const [guest] = await this.#post<[Guest]>('/v1/new-guest', undefined, options, this.#callGuests);
    return guest;
  }

  /** New tokens for a guest of the app's own; the key needs the scope `guest-tokens`. */
  async createGuestTokens(userId: string, options: Once = {}): Promise<Guest> {
    const [guest] = await this.#post<[Guest]>(`/v1/guests/${segment(userId)}/tokens`, undefined, options);
    return guest;
  }

  /**
   * Asks a player for quarters: a guest of the app, or somebody who gave it the scope `requests`. They decide on the approval page. The
   * key needs the scope `create-requests`.
   */
  async ask({ userId, ...asking }: Asking & { readonly userId: string }, options: Once = {}): Promise<TransferRequest> {
    const { appId } = this.#options;
    if (appId === undefined) throw new TypeError('ask needs the option appId');
    return this.#post('/v1/requests', { ...asking, appId, userId }, options);
  }

  /**
   * Approves a pending request under the player's standing approval; the key needs the scope `approve-requests`. Where it rejects with
   * status 402, 403 or 409, the request waits for its page.
   */
  autoApprove(request: { id: string; appId: string; userId: string }, options: Paying = {}): Promise<TransferOutcome> {
    const body = { clientId: request.appId, userId: request.userId };
    return this.#post(`/v1/requests/${segment(request.id)}/autoApprove`, body, options);
  }

  /** Pays a player from the app's own account. */
  pay(payment: Payment, options: Paying = {}): Promise<TransferOutcome> {
    return this.#post(`/v1/accounts/${segment(this.#options.appAddress)}/transfer`, payment, options);
  }

  /**
   * Pays up to a thousand players, each line by itself: its outcome, in order, has `txId` or `error`. Called again with the same
   * key it answers what was paid before, and tries the rest. A line whose `error` has status 429 or 5xx is not final. Call again
   * with the same key before you pay it in any other way.
   */
  async payMany(lines: readonly PaymentLine[], options: Once = {}): Promise<readonly TransferLine[]> {
    const path = `/v1/accounts/${segment(this.#options.appAddress)}/transfers`;
    return (await this.#post<{ transfers: readonly TransferLine[] }>(path, { transfers: lines }, options)).transfers;
  }

  /** Gives back a completed payment, or `amount` of it; never more in sum than was paid. */
  refund(requestId: string, { amount }: { amount?: number } = {}, options: Once = {}): Promise<RefundOutcome> {
    const body = amount === undefined ? undefined : { amount };
    return this.#post(`/v1/requests/${segment(requestId)}/refunds`, body, options);
  }

  /** What the app can spend now. */
  async balance(options: CallOptions = {}): Promise<Balance> {
    const path = `/v1/accounts/${segment(this.#options.appAddress)}/balance`;
    const [balance] = await this.#get<[Balance]>(path, {}, options);
    return balance;
  }

  /** What really became of a request, whatever a browser says. It is paid where `status` is `approved`, `submitted` or `completed`. */
  request(id: string, options: CallOptions = {}): Promise<RequestState> {
    return this.#get(`/v1/requests/${segment(id)}`, {}, options);
  }

  /** The app's requests, newest first, page after page as they are read. */
  requests(filter: RequestFilter = {}, options: CallOptions = {}): AsyncGenerator<RequestState> {
    return walk((query) => this.#get('/v1/requests', query, options), filter);
  }

  /** The transfers of the app's account, newest first. */
  transfers(filter: TransferFilter = {}, options: CallOptions = {}): AsyncGenerator<Transfer> {
    return walk((query) => this.#get('/v1/transfers', query, options), filter);
  }

  /** Takes a pending request back. */
  cancel(id: string, options: Once = {}): Promise<RequestState> {
    return this.#post(`/v1/requests/${segment(id)}/cancel`, undefined, options);
  }

  /**
   * What happened, oldest first, for 30 days: after the event with the id `cursor`, where it is given. Keep the id of the last one you have dealt
   * with, and go on from there.
   */
  events(
    filter: { cursor?: string; type?: AppEvent['type'] } = {},
    options: CallOptions = {},
  ): AsyncGenerator<AppEvent> {
    return walk((query) => this.#get('/v1/events', query, options), filter);
  }

  /** Has an event sent again, to all endpoints that want it. */
  redeliver(eventId: string, options: Once = {}): Promise<Redelivered> {
    return this.#post(`/v1/events/${segment(eventId)}/redeliver`, undefined, options);
  }

  /** Where events are sent from now on; all types unless some are given. Store its secret: it is shown this once. */
  addWebhookEndpoint(
    endpoint: { url: string; types?: readonly AppEvent['type'][] },
    options: Once = {},
  ): Promise<AddedWebhookEndpoint> {
    return this.#post('/v1/webhook-endpoints', endpoint, options);
  }

  #get<T>(path: string, query: Filter, options: CallOptions): Promise<T> {
    return this.#call<T>({ ...options, method: 'GET', path, query, bearer: this.#options.serverKey });
  }

  #post<T>(path: string, body: object | undefined, options: Paying, call = this.#call): Promise<T> {
    const { idempotencyKey = crypto.randomUUID(), ...rest } = options;
    return call<T>({ ...rest, method: 'POST', path, body, bearer: this.#options.serverKey, idempotencyKey });
  }
}

/** One part of a path, whatever stands in it. */
export function segment(value: string): string {
  return encodeURIComponent(value);
}
