import type {
  AddedWebhookEndpoint,
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
import type { AppEvent, EventType } from './events.ts';
import { type Filter, walk } from './lists.ts';
import { type CallOptions, type Transport, type TransportOptions, transport } from './transport.ts';

export type ServerOptions = TransportOptions & {
  /** The API's origin: `https://quarters.example`. */
  readonly url: string;
  /** The origin for creating guests, if the operator has set a separate one. */
  readonly guestsUrl?: string;
  /** The app's server API key. Keep it on your server. */
  readonly serverKey: string;
  /** The address of the app's own account, which it pays from. */
  readonly appAddress: string;
  /** The app's id, which {@link QuartersServer.ask} needs. */
  readonly appId?: string;
};

/** Your own key for a call that must be done once, such as an order's id. By default a random one, which covers this call's retries. */
export type Once = CallOptions & { readonly idempotencyKey?: string };

/** `waitSeconds`: the longest time to wait for the chain. Without it, the call returns once the transfer is irrevocable. */
export type Paying = Once & { readonly waitSeconds?: number };

export type Recipient = { readonly user: string } | { readonly address: string };

export type Payment = Recipient & { readonly amount: number };

/** A new request to a player. `expiresIn`: seconds until it expires; the operator's setting by default. */
export type Asking = Pick<NewRequest, 'tokens' | 'description' | 'expiresIn'>;

/** One of many payments. `reference`: your own name for it, returned with its outcome. */
export type PaymentLine = Payment & { readonly reference?: string };

type RequestFilter = {
  /** One status, such as `completed`, or several separated by commas. */
  readonly status?: string;
  readonly userId?: string;
  /** Times in ISO 8601. */
  readonly createdFrom?: string;
  readonly createdBefore?: string;
};

type TransferFilter = RequestFilter & { readonly requestId?: string; readonly direction?: 'in' | 'out' };

/**
 * A client of the service for a game's server. All amounts are whole numbers of quarters. Calls reject with `QuartersError`, whose
 * `code` is documented, or with `ConnectionError`. Safe retries have been made by then.
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

  /** Creates a guest of the app. Store its tokens: they are shown only once. */
  async createGuest(options: Once = {}): Promise<Guest> {
    const [guest] = await this.#post<[Guest]>('/v1/new-guest', undefined, options, this.#callGuests);
    return guest;
  }

  /** Creates new tokens for a guest of the app. The key needs the scope `guest-tokens`. */
  async createGuestTokens(userId: string, options: Once = {}): Promise<Guest> {
    const [guest] = await this.#post<[Guest]>(`/v1/guests/${segment(userId)}/tokens`, undefined, options);
    return guest;
  }

  /**
   * Asks a player for quarters: a guest of the app, or a player who gave it the scope `requests`. The player approves or declines on
   * the approval page. The key needs the scope `create-requests`.
   */
  async ask({ userId, ...asking }: Asking & { readonly userId: string }, options: Once = {}): Promise<TransferRequest> {
    const { appId } = this.#options;
    if (appId === undefined) throw new TypeError('ask needs the option appId');
    return this.#post('/v1/requests', { ...asking, appId, userId }, options);
  }

  /**
   * Approves a pending request under the player's mandate (spending limit). The key needs the scope `approve-requests`. If it rejects
   * with status 402, 403 or 409, the request stays pending and the player can still approve it on the page.
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
   * Pays up to a thousand players, each independently. The outcomes are in order, each with `txId` or `error`. Another call with the
   * same key returns the earlier payments and tries the rest. A line whose `error` has status 429 or 5xx is not final: call again
   * with the same key before you pay it in any other way.
   */
  async payMany(lines: readonly PaymentLine[], options: Once = {}): Promise<readonly TransferLine[]> {
    const path = `/v1/accounts/${segment(this.#options.appAddress)}/transfers`;
    return (await this.#post<{ transfers: readonly TransferLine[] }>(path, { transfers: lines }, options)).transfers;
  }

  /** Refunds a completed payment, or `amount` of it. All refunds together cannot exceed the payment. */
  refund(requestId: string, { amount }: { amount?: number } = {}, options: Once = {}): Promise<RefundOutcome> {
    const body = amount === undefined ? undefined : { amount };
    return this.#post(`/v1/requests/${segment(requestId)}/refunds`, body, options);
  }

  /** The app's available balance. */
  async balance(options: CallOptions = {}): Promise<Balance> {
    const path = `/v1/accounts/${segment(this.#options.appAddress)}/balance`;
    const [balance] = await this.#get<[Balance]>(path, {}, options);
    return balance;
  }

  /** The real status of a request, whatever a browser says. It is paid if `status` is `approved`, `submitted` or `completed`. */
  request(id: string, options: CallOptions = {}): Promise<RequestState> {
    return this.#get(`/v1/requests/${segment(id)}`, {}, options);
  }

  /** The app's requests, newest first. Pages are fetched when needed. */
  requests(filter: RequestFilter = {}, options: CallOptions = {}): AsyncGenerator<RequestState> {
    return walk((query) => this.#get('/v1/requests', query, options), filter);
  }

  /** The transfers of the app's account, newest first. */
  transfers(filter: TransferFilter = {}, options: CallOptions = {}): AsyncGenerator<Transfer> {
    return walk((query) => this.#get('/v1/transfers', query, options), filter);
  }

  /** Cancels a pending request. */
  cancel(id: string, options: Once = {}): Promise<RequestState> {
    return this.#post(`/v1/requests/${segment(id)}/cancel`, undefined, options);
  }

  /**
   * The app's events of the last 30 days, oldest first; with `cursor`, those after the event with that id. Keep the id of the last
   * event you have handled, and continue from there.
   */
  events(filter: { cursor?: string; type?: EventType } = {}, options: CallOptions = {}): AsyncGenerator<AppEvent> {
    return walk((query) => this.#get('/v1/events', query, options), filter);
  }

  /** Sends an event again, to all endpoints that receive its type. */
  redeliver(eventId: string, options: Once = {}): Promise<Redelivered> {
    return this.#post(`/v1/events/${segment(eventId)}/redeliver`, undefined, options);
  }

  /** Adds an endpoint that receives events: all types by default. Store its secret: it is shown only once. */
  addWebhookEndpoint(
    endpoint: { url: string; types?: readonly EventType[] },
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

/** Encodes one segment of a path. */
export function segment(value: string): string {
  return encodeURIComponent(value);
}
