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
  /** The access token of a guest or of a signed-in player. */
  readonly accessToken: string;
  /** Gets a new access token once the old one has expired: once, even if several calls need it. Guests' tokens do not need it. */
  readonly renew?: () => Promise<string>;
};

/** A client of the service for one player, also in a browser. Calls reject like those of `QuartersServer`. */
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

  /** The player's only account. */
  async account(options: CallOptions = {}): Promise<Account> {
    const [account] = await this.#get<[Account]>('/v1/accounts', {}, options);
    return account;
  }

  /** The balance available now. `address`: that of {@link account}. */
  async balance(address: string, options: CallOptions = {}): Promise<Balance> {
    const [balance] = await this.#get<[Balance]>(`/v1/accounts/${segment(address)}/balance`, {}, options);
    return balance;
  }

  /** Rewards granted but not spent yet. A payment uses them first. */
  async reward(address: string, options: CallOptions = {}): Promise<Reward> {
    const [reward] = await this.#get<[Reward]>(`/v1/accounts/${segment(address)}/rewards`, {}, options);
    return reward;
  }

  /** Asks the player for quarters. The player approves or declines on the approval page. */
  ask(asking: Asking, options: Once = {}): Promise<TransferRequest> {
    return this.#post('/v1/requests', { ...asking, appId: this.#options.appId }, options);
  }

  /**
   * Approves a request without asking, if the operator has enabled the app and the player has allowed it. Otherwise it rejects with
   * status 402, 403 or 409, and the request stays pending. After `quarters-unconfirmed`, try again in a few seconds.
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

  /** This app's requests to the player, newest first. */
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
      // An attempt before the one that found the token expired may have succeeded.
      const unsure = error instanceof ConnectionError;
      const bearer = await this.#renewed(used, renew).catch((cause: unknown) => {
        if (!unsure) throw cause;
        const message = `${call.method} ${call.path}: the outcome is unknown; the access token has expired and could not be renewed`;
        throw new ConnectionError(message, { cause });
      });
      return this.#transport<T>({ ...call, bearer, unsure });
    }
  }

  /** If several calls find the token expired, the first renews it for all. */
  async #renewed(used: Promise<string>, renew: () => Promise<string>): Promise<string> {
    if (this.#accessToken === used) {
      this.#accessToken = renew();
      // If the renewal fails, the next call tries again.
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
