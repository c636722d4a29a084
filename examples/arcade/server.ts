/**
 * The arcade's server: its pages, and the game as a handful of JSON calls. It runs on its own site (127.0.0.1, while Quarters is
 * on localhost) and uses only the public interface of Quarters.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { QuartersError, type SignIn, VerificationError, verifyWebhook } from '../../sdk/src/index.ts';
import { arcade, NotNow, SignedOut } from './arcade.ts';
import { readFiles, resultPage, SAFE } from './files.ts';
import { openPlayers, type Player } from './players.ts';
import { type App, connect } from './quarters.ts';

/** Where Quarters sends events. */
const EVENTS_PATH = '/quarters/events';
const MOST_BODY_BYTES = 64 * 1024;
const COOKIE_SECONDS = 365 * 86_400;

type Options = {
  readonly app: App;
  /** The preferred port; a free one is used if it is taken. */
  readonly port: number;
  /** Where players are stored between restarts. */
  readonly playersFile?: string | undefined;
  /** The address of this machine to listen on. */
  readonly host?: string | undefined;
  readonly now?: () => number;
};

type Page = { readonly body: string; readonly headers: Record<string, string> };
type Answer = { status?: number; cookies?: string[]; json?: object; location?: string; page?: Page };
type Visit = {
  readonly player: Player | null;
  readonly body: Record<string, unknown>;
  readonly query: URLSearchParams;
  /** What was stored for a sign-in in progress. */
  readonly signingIn: SignIn | undefined;
};
type Route = (visit: Visit) => Promise<Answer>;

/** Starts the arcade. */
export async function startArcade({ app, port, playersFile, host = '127.0.0.1', now = Date.now }: Options) {
  const game = arcade(connect(app), now);
  const players = openPlayers(playersFile);
  const files = readFiles(app);
  let origin = '';
  let cookieName = '';

  const cookie = (name: string, value: string, seconds: number) =>
    `${cookieName}${name}=${value}; HttpOnly; SameSite=Lax; Path=/; Max-Age=${seconds}`;

  const withPlayer =
    (run: (player: Player, visit: Visit) => Promise<object>): Route =>
    async (visit) => {
      if (!visit.player) throw new NotNow('Press play first.');
      return { json: await run(visit.player, visit) };
    };

  const routes: Record<string, Route> = {
    'GET /api/me': async ({ player }) => ({ json: { player: player && (await game.show(player)) } }),

    // The first round creates the player: looking at the page creates no account.
    'POST /api/rounds': async ({ player }) => {
      if (player) return { json: game.startRound(player) };
      const fresh = await game.newPlayer();
      return { json: game.startRound(fresh), cookies: [cookie('player', players.add(fresh), COOKIE_SECONDS)] };
    },

    'POST /api/rounds/end': withPlayer((player, { body }) => game.endRound(player, String(body.id), tapsOf(body.taps))),
    'POST /api/shields': withPlayer((player) => game.buyShield(player)),
    'POST /api/shields/paid': withPlayer((player, { body }) => game.giveShield(player, String(body.requestId))),

    'POST /api/sign-up': withPlayer((player) => game.startSignUp(player)),

    'POST /api/sign-up/code': withPlayer(async (player, { body }) => {
      await game.becomeUser(player, String(body.code));
      return {};
    }),

    // For players with an account. The cookie shows that the returned code was requested here (RFC 6749, section 10.12).
    'GET /sign-in': async () => {
      const { url, keep } = await game.signIn(`${origin}/back`);
      const kept = `${keep.state}.${keep.codeVerifier}`;
      return { status: 303, location: url, cookies: [cookie('signing-in', kept, 600)] };
    },

    // Quarters redirects the player back here, with the result.
    'GET /back': async (visit) => {
      const requestId = visit.query.get('requestId');
      if (requestId && !visit.player?.asked.includes(requestId)) {
        return { page: resultPage(app, await game.resultOf(requestId)) };
      }
      try {
        return { status: 303, location: '/', cookies: await takeUp(visit) };
      } catch (error) {
        if (error instanceof NotNow || error instanceof QuartersError || error instanceof VerificationError)
          return { status: 303, location: '/?failed' };
        throw error;
      }
    },
  };

  async function takeUp({ player, query, signingIn }: Visit): Promise<string[]> {
    const [code, requestId] = [query.get('code'), query.get('requestId')];
    if (signingIn && query.has('state')) {
      const user = await game.comeBack(query, signingIn, `${origin}/back`);
      return [cookie('player', players.add(user), COOKIE_SECONDS), cookie('signing-in', '', 0)];
    }
    if (code && player) await game.becomeUser(player, code);
    if (requestId && player) await game.giveShield(player, requestId);
    return [];
  }

  async function answer(request: IncomingMessage): Promise<Answer> {
    const { pathname, searchParams } = new URL(request.url ?? '/', origin);
    const route = routes[`${request.method} ${pathname}`];
    if (!route) return { status: 404, json: { message: 'Page not found.' } };
    const body = request.method === 'POST' ? await readBody(request) : {};
    const known = cookieOf(request, `${cookieName}player`);
    const signingIn = signInOf(cookieOf(request, `${cookieName}signing-in`));
    const player = players.find(known);
    const token = player?.refreshToken;
    try {
      return await route({ player, body, query: searchParams, signingIn });
    } catch (error) {
      if (!(error instanceof SignedOut) || !known) throw error;
      players.remove(known);
      const json = { message: 'You are signed out.' };
      return { status: 401, json, cookies: [cookie('player', '', 0)] };
    } finally {
      // Reading refreshes tokens, too: after a crash, a spent refresh token must not be all that is left.
      const isRefreshed = player?.refreshToken !== token;
      if (request.method === 'POST' || pathname === '/back' || isRefreshed) await players.save();
    }
  }

  /** Takes an event of Quarters. Any answer but 2xx asks for it again, later. */
  async function takeEvent(request: IncomingMessage, secret: string): Promise<Answer> {
    const body = await readText(request);
    const { event } = await verifyWebhook({ body, headers: request.headers, secret });
    const requestId = event.type.startsWith('request.') && 'id' in event.data ? String(event.data.id) : null;
    const player = requestId && players.ofPayment(requestId);
    if (player) await game.takeNews(player, requestId);
    await players.save();
    return { status: 204 };
  }

  const server = createServer(async (request, response) => {
    try {
      if (app.webhookSecret && request.method === 'POST' && request.url === EVENTS_PATH)
        return send(response, await takeEvent(request, app.webhookSecret));
      if (isForeign(request, origin))
        return send(response, { status: 403, json: { message: 'This request came from another site.' } });
      const file = request.method === 'GET' && files.get(new URL(request.url ?? '/', origin).pathname);
      if (file) return void response.writeHead(200, { ...file.headers, ...SAFE }).end(file.body);
      send(response, await answer(request));
    } catch (error) {
      send(response, failure(error));
    }
  });
  await listen(server, port, host).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error;
    return listen(server, 0, host);
  });
  const { port: taken } = server.address() as AddressInfo;
  origin = `http://${host}:${taken}`;
  // All ports of a host share cookies.
  cookieName = `arcade_${taken}_`;
  return {
    origin,
    async close(): Promise<void> {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      await players.save();
    },
  };
}

/**
 * Whether a call comes from another origin, or by another host name (DNS rebinding). The cookie does not show that: to it, all
 * ports of this machine are one site.
 */
function isForeign({ method, headers }: IncomingMessage, origin: string): boolean {
  return headers.host !== new URL(origin).host || (method === 'POST' && headers.origin !== origin);
}

function cookieOf({ headers }: IncomingMessage, name: string): string | undefined {
  const cookies = headers.cookie?.split('; ') ?? [];
  return cookies.find((cookie) => cookie.startsWith(`${name}=`))?.slice(name.length + 1);
}

function signInOf(kept: string | undefined): SignIn | undefined {
  const [state, codeVerifier] = kept?.split('.') ?? [];
  return state && codeVerifier ? { state, codeVerifier } : undefined;
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk;
    if (text.length > MOST_BODY_BYTES) throw new NotNow('The request is too large.');
  }
  return text;
}

async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const text = await readText(request);
  try {
    return { ...JSON.parse(text || '{}') };
  } catch {
    throw new NotNow('The request is not JSON.');
  }
}

function tapsOf(value: unknown): number[] {
  if (!Array.isArray(value) || !value.every(Number.isSafeInteger)) throw new NotNow('The taps must be whole numbers.');
  return value;
}

function failure(error: unknown): Answer {
  if (error instanceof VerificationError) return { status: 400, json: { message: error.message } };
  if (error instanceof NotNow) return { status: 409, json: { message: error.message } };
  if (error instanceof QuartersError && error.status < 500) {
    return { status: error.status, json: { code: error.code, message: error.message } };
  }
  console.error((error as Error).message);
  return { status: 503, json: { message: 'Quarters is not responding. Please try again in a moment.' } };
}

function send(response: ServerResponse, { status = 200, cookies = [], json, location, page }: Answer): void {
  response
    .writeHead(status, {
      ...SAFE,
      ...(json && { 'content-type': 'application/json' }),
      ...page?.headers,
      ...(location && { location }),
      ...(cookies.length > 0 && { 'set-cookie': cookies }),
    })
    .end(page?.body ?? (json && JSON.stringify(json)));
}

function listen(server: ReturnType<typeof createServer>, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function fromEnvironment(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set; See README.md.`);
  return value;
}

if (import.meta.main) {
  const pages = fromEnvironment('QUARTERS_URL');
  const api = process.env.QUARTERS_API_URL || pages;
  const { origin, close } = await startArcade({
    app: {
      pages,
      api,
      guestApi: process.env.QUARTERS_DEV_API_URL || api,
      id: fromEnvironment('QUARTERS_APP_ID'),
      address: fromEnvironment('QUARTERS_APP_ADDRESS'),
      serverKey: fromEnvironment('QUARTERS_SERVER_KEY'),
      clientSecret: fromEnvironment('QUARTERS_CLIENT_SECRET'),
      webhookSecret: process.env.QUARTERS_WEBHOOK_SECRET || undefined,
    },
    port: Number(process.env.ARCADE_PORT ?? 8081),
    playersFile: process.env.ARCADE_PLAYERS_FILE,
    host: process.env.ARCADE_HOST || undefined,
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void close().then(() => process.exit()));
  console.log(`The arcade is open at ${origin}`);
}
