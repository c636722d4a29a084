import { QuartersOAuth, QuartersPlayer, QuartersServer, type Tokens } from '../../sdk/src/index.ts';

/** The app's data from its registration. The keys never leave this server. */
export type App = {
  /** Where its pages are, such as http://localhost:8080. */
  readonly pages: string;
  /** The base addresses of the API, and of the calls that create guests; mostly the same. */
  readonly api: string;
  readonly guestApi: string;
  readonly id: string;
  /** The app's own account, from which players are paid. */
  readonly address: string;
  readonly serverKey: string;
  readonly clientSecret: string;
  /** Signs the events. Without it the game takes none, and gives what was paid when the player comes back. */
  readonly webhookSecret?: string | undefined;
};

/** All of Quarters that this game uses: its own account, its players' accounts, and signing players in. */
export function connect(app: App) {
  /** `redirectUri`: where players return after signing in. */
  const oauth = (redirectUri?: string) =>
    new QuartersOAuth({
      url: app.pages,
      apiUrl: app.api,
      clientId: app.id,
      clientSecret: app.clientSecret,
      ...(redirectUri && { redirectUri }),
    });

  /** `renewed`: gets new tokens, which must be stored. Guests have one token that stays valid. */
  function player(tokens: Pick<Tokens, 'accessToken'> & Partial<Tokens>, renewed: (tokens: Tokens) => void) {
    const { accessToken, refreshToken } = tokens;
    const renew = async (used: string) => {
      const fresh = await oauth().refresh(used);
      renewed(fresh);
      return fresh.accessToken;
    };
    return new QuartersPlayer({
      url: app.api,
      appId: app.id,
      accessToken,
      ...(refreshToken !== undefined && { renew: () => renew(refreshToken) }),
    });
  }

  const server = new QuartersServer({
    url: app.api,
    guestsUrl: app.guestApi,
    serverKey: app.serverKey,
    appAddress: app.address,
  });
  return { server, oauth, player };
}

export type Quarters = ReturnType<typeof connect>;
