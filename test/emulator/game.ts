import type { RunningEmulator } from './emulated.ts';

export type App = { readonly id: string; readonly address: string; readonly serverKey: string };
export type Player = {
  readonly id: string;
  readonly kind: string;
  readonly address: string;
  readonly accessToken: string;
  readonly refreshToken: string | null;
  readonly pageToken: string | null;
  readonly email: string | null;
};

/** A game's server, and what its tests say of its players. */
export type Game = {
  readonly app: App;
  newPlayer(given?: object): Promise<Player>;
  /** Asks a player for quarters; the request's id. */
  ask(player: Pick<Player, 'id'>, quarters: number): Promise<string>;
  act<Result = Record<string, string>>(player: Pick<Player, 'id'>, act: string, body?: object): Promise<Result>;
  status(request: string): Promise<string>;
  quarters(player: Pick<Player, 'address' | 'accessToken'>): Promise<number>;
  /** The types of the events about a request so far, oldest first. */
  events(request: string): Promise<string[]>;
};

export async function newGame({ call, api }: RunningEmulator, given: object = {}): Promise<Game> {
  const app = await call<App>('POST', '/apps', given);
  const read = <Result>(path: string) => api<Result>(app.serverKey, 'GET', path);
  return {
    app,
    newPlayer: (more = {}) => call('POST', '/players', { app: app.id, quarters: 500, ...more }),
    async ask({ id: userId }, tokens) {
      const asked = { tokens, appId: app.id, userId };
      return (await api<{ id: string }>(app.serverKey, 'POST', '/v1/requests', asked)).id;
    },
    act: ({ id }, act, body = {}) => call('POST', `/players/${id}/${act}`, body),
    status: async (request) => (await read<{ status: string }>(`/v1/requests/${request}`)).status,
    async quarters({ address, accessToken }) {
      const [balance] = await api<{ quarters: string }[]>(accessToken, 'GET', `/v1/accounts/${address}/balance`);
      return Number(balance!.quarters);
    },
    async events(request) {
      const { data } = await read<{ data: { type: string; data: { id?: string } }[] }>('/v1/events?limit=100');
      return data.flatMap(({ type, data: { id } }) => (id === request ? [type] : []));
    },
  };
}
