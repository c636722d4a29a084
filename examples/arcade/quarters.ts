/** What a game's server knows of its app: given when the app was registered. The keys never leave this server. */
export type App = {
  /** Where its pages are, such as http://localhost:8080. */
  readonly pages: string;
  /** Where its calls go, and those that make guests; mostly the same. */
  readonly api: string;
  readonly guestApi: string;
  readonly id: string;
  /** Of the app's own account, from which players are paid. */
  readonly address: string;
  readonly serverKey: string;
  readonly clientSecret: string;
};

export type Tokens = { readonly accessToken: string; readonly refreshToken: string };

export type Guest = {
  readonly userId: string;
  readonly address: string;
  readonly accessToken: string;
  readonly pageToken: string;
};

export type PaymentRequest = {
  readonly id: string;
  readonly tokens: number;
  readonly appId: string;
  readonly userId: string;
  readonly status: string;
};

/** The service said no. `code`: one of its documented words, such as `token-expired`. */
export class Refused extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const MAX_TRIES = 4;
const WITHIN_MS = 10_000;

type Call = { base?: string; method?: string; bearer?: string; body?: object; idempotencyKey?: string };

/** The calls this game makes; the whole of what it knows of Quarters. */
export function quartersApi(app: App) {
  async function once<T>(
    path: string,
    { base = app.api, method = 'GET', bearer, body, idempotencyKey }: Call,
  ): Promise<T> {
    const response = await fetch(base + path, {
      method,
      headers: {
        ...(bearer && { authorization: `Bearer ${bearer}` }),
        ...(body && { 'content-type': 'application/json' }),
        ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
      },
      ...(body && { body: JSON.stringify(body) }),
      redirect: 'error',
      signal: AbortSignal.timeout(WITHIN_MS),
    });
    const answer: unknown = await response.json();
    if (response.ok) return answer as T;
    // A problem of the API, or OAuth's own error form at the token endpoint.
    const { code, message, error, error_description } = answer as Record<string, string | undefined>;
    throw new Refused(response.status, code ?? error ?? '', message ?? error_description ?? 'It did not work.');
  }

  /** Again after a lost answer or a busy service, where doing it twice does no harm: reads, and what has a key. */
  async function call<T>(path: string, options: Call): Promise<T> {
    const repeatable = !options.method || options.idempotencyKey !== undefined;
    for (let tries = 1; ; tries++) {
      try {
        return await once<T>(path, options);
      } catch (error) {
        const final = error instanceof Refused && error.status < 500;
        if (final || !repeatable || tries === MAX_TRIES) throw error;
        await new Promise((resolve) => setTimeout(resolve, 200 * 2 ** tries));
      }
    }
  }

  const token = async (fields: Record<string, string>): Promise<Tokens> => {
    const body = { client_id: app.id, client_secret: app.clientSecret, ...fields };
    const answer = await call<{ access_token: string; refresh_token: string }>('/v1/oauth/token', {
      method: 'POST',
      body,
    });
    return { accessToken: answer.access_token, refreshToken: answer.refresh_token };
  };

  return {
    async newGuest(): Promise<Guest> {
      type Answer = { user_id: string; address: string; access_token: string; firebase_token: string };
      const [guest] = await call<[Answer]>('/v1/new-guest', {
        base: app.guestApi,
        method: 'POST',
        bearer: app.serverKey,
      });
      const { user_id, address, access_token, firebase_token } = guest;
      return { userId: user_id, address, accessToken: access_token, pageToken: firebase_token };
    },

    me: (accessToken: string) => call<{ id: string; displayName: string }>('/v1/me', { bearer: accessToken }),

    async address(accessToken: string): Promise<string> {
      const [account] = await call<[{ address: string }]>('/v1/accounts', { bearer: accessToken });
      return account.address;
    },

    async balance(accessToken: string, address: string): Promise<string> {
      const [balance] = await call<[{ quarters: string }]>(`/v1/accounts/${address}/balance`, { bearer: accessToken });
      return balance.quarters;
    },

    /** Pays a player from the game's own account; the same `key` never pays twice. */
    pay: (user: string, amount: number, key: string) =>
      call<{ txId: string }>(`/v1/accounts/${app.address}/transfer`, {
        method: 'POST',
        bearer: app.serverKey,
        body: { amount, user },
        idempotencyKey: key,
      }),

    askFor: (accessToken: string, tokens: number, description: string) =>
      call<{ id: string }>('/v1/requests', {
        method: 'POST',
        bearer: accessToken,
        body: { tokens, description, appId: app.id },
      }),

    /** Where the player has allowed it; refused otherwise, and the request waits for its page. */
    autoApprove: (accessToken: string, requestId: string, userId: string, address: string) =>
      call<{ txId: string }>(`/v1/requests/${requestId}/autoApprove`, {
        method: 'POST',
        bearer: accessToken,
        body: { clientId: app.id, userId, address },
        idempotencyKey: requestId,
      }),

    /** What really became of a request: read with the server key, whatever a browser says. */
    request: (id: string) => call<PaymentRequest>(`/v1/requests/${id}`, { bearer: app.serverKey }),

    redeem: (code: string, redirectUri?: string) =>
      token({ grant_type: 'authorization_code', code, ...(redirectUri && { redirect_uri: redirectUri }) }),

    refresh: (refreshToken: string) => token({ grant_type: 'refresh_token', refresh_token: refreshToken }),
  };
}

export type QuartersApi = ReturnType<typeof quartersApi>;
