import type {
  Account,
  Balance,
  RequestState,
  Reward,
  TransferOutcome,
  TransferRequest,
  User,
} from './api.generated.ts';
import { ConnectionError, QuartersError } from './errors.ts';
import { type Filter, walk } from './lists.ts';
import { type Asking, type Once, type Paying, segment } from './server.ts';
import { type Call, type CallOptions, type Transport, type TransportOptions, transport } from './transport.ts';

export type PlayerOptions = TransportOptions & {
  /** The API's origin: `https://quarters.example`. */
  readonly url: string;
  /** The app's id. */
  readonly appId: string;
  /** Of a guest, or of who has signed in. */
  readonly accessToken: string;
  /** Gets a new access token where that one has expired, once however many calls find it so. Guests' tokens need none. */
  readonly renew?: () => Promise<string>;
};

/** The service, on behalf of one player; in a browser as well. Calls reject like those of `QuartersServer`. */
export class QuartersPlayer {
  readonly #options: PlayerOptions;
  readonly #transport: Transport;
  #accessToken: Promise<string>;

  constructor(options: PlayerOptions) {
    this.#options = options;
    this.#transport = transport(options.url, options);
    this.#accessToken = Promise.resolve(options.accessToken);
  }

  me(options: CallOptions = {}): Promise<User> {
    return this.#get('/v1/me', {}, options);
  }

  /** The player's one account. */
  async account(options: CallOptions = {}): Promise<Account> {
    const [account] = await this.#get<[Account]>('/v1/accounts', {}, options);
    return account;
  }

  /** What can be spent now. `address`: of {@link account}. */
  async balance(address: string, options: CallOptions = {}): Promise<Balance> {
    const [balance] = await this.#get<[Balance]>(`/v1/accounts/${segment(address)}/balance`, {}, options);
    return balance;
  }

  /** Granted and not yet spent: a payment takes it first. */
  async reward(address: string, options: CallOptions = {}): Promise<Reward> {
    const [reward] = await this.#get<[Reward]>(`/v1/accounts/${segment(address)}/rewards`, {}, options);
    return reward;
  }

  /** Asks the player for quarters: a request, which the player decides on the approval page. */
  ask(asking: Asking, options: Once = {}): Promise<TransferRequest> {
    return this.#post('/v1/requests', { ...asking, appId: this.#options.appId }, options);
  }

  /**
   * Approves a request by itself, where the operator has enabled the app and the player has allowed it. Otherwise it rejects with
   * status 402, 403 or 409, and the request waits for its page. `quarters-unconfirmed`: not yet; try again after some seconds.
   */
  autoApprove(
    request: { id: string; userId: string },
    address: string,
    options: Paying = {},
  ): Promise<TransferOutcome> {
    const body = { clientId: this.#options.appId, userId: request.userId, address };
    return this.#post(`/v1/requests/${segment(request.id)}/autoApprove`, body, options);
  }

  request(id: string, options: CallOptions = {}): Promise<RequestState> {
    return this.#get(`/v1/requests/${segment(id)}`, {}, options);
  }

  /** What this app has asked the player for, newest first. */
  requests(filter: Filter = {}, options: CallOptions = {}): AsyncGenerator<RequestState> {
    return walk((query) => this.#get('/v1/requests', query, options), filter);
  }

  #get<T>(path: string, query: Filter, options: CallOptions): Promise<T> {
    return this.#call({ ...options, method: 'GET', path, query });
  }

  #post<T>(path: string, body: object, { idempotencyKey = crypto.randomUUID(), ...rest }: Paying): Promise<T> {
    return this.#call({ ...rest, method: 'POST', path, body, idempotencyKey });
  }

  async #call<T>(call: Call): Promise<T> {
    const used = this.#accessToken;
    try {
      return await this.#transport<T>({ ...call, bearer: await used });
    } catch (error) {
      const { renew } = this.#options;
      if (!renew || !tokenHasExpired(error)) throw error;
      // A try before the one that found the token expired may have been done.
      const unsure = error instanceof ConnectionError;
      const bearer = await this.#renewed(used, renew).catch((cause: unknown) => {
        if (!unsure) throw cause;
        const message = `${call.method} ${call.path}: it is not known whether it was done; the access token has expired and could not be renewed`;
        throw new ConnectionError(message, { cause });
      });
      return this.#transport<T>({ ...call, bearer, unsure });
    }
  }

  /** Of several calls that find the token expired, the first renews it for all. */
  async #renewed(used: Promise<string>, renew: () => Promise<string>): Promise<string> {
    if (this.#accessToken === used) {
      this.#accessToken = renew();
      // Where it can not be renewed now, the next call may try again.
      this.#accessToken.catch(() => {
        this.#accessToken = used;
      });
    }
    return this.#accessToken;
  }
}

function tokenHasExpired(error: unknown): error is QuartersError | ConnectionError {
  const answer = error instanceof ConnectionError ? error.cause : error;
  return answer instanceof QuartersError && answer.code === 'token-expired';
}
