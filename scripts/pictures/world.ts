import { toChecksum } from '../../src/base/address.ts';
import { lazily } from '../../src/base/lazily.ts';
import { asQuarters } from '../../src/base/quarters.ts';
import { type CreatedApp, createApp } from '../../src/features/apps/create-app.ts';
import { updateApp } from '../../src/features/apps/update-app.ts';
import type { NewGuest } from '../../src/features/guests/create-guest.ts';
import { refundRequest } from '../../src/features/payments/refund-request.ts';
import type { NewApp } from '../../src/identity/apps.ts';
import { grantConsent } from '../../src/identity/consents.ts';
import { hashPassword, storePassword } from '../../src/identity/passwords.ts';
import { stopWithdrawalAddress } from '../../src/identity/withdrawal-addresses.ts';
import { asDeveloper, OPERATOR } from '../../src/service/managers.ts';
import { startGameSite } from '../../test/kit/browser/game-site.ts';
import { type OpenArcade, openArcade } from '../../test/kit/browser/open-arcade.ts';
import { OWN_SCHEME } from '../../test/kit/browser/own-scheme.ts';
import { grantMandate } from '../../test/kit/service/grant-mandate.ts';
import { approve, askFor, move, pay } from '../../test/kit/service/history.ts';
import { createOperator } from '../../test/kit/service/operator.ts';
import { grantReward, verifyApp } from '../../test/kit/service/operator-acts.ts';
import { storePasskey } from '../../test/kit/service/passkey.ts';
import { createPerson, PASSWORD, type Person, signIn } from '../../test/kit/service/people.ts';
import { publishNow } from '../../test/kit/service/publishing-at.ts';
import { startTestService, type TestApp, type TestService } from '../../test/kit/service/service.ts';
import { freeze } from '../../test/kit/service/stopping.ts';
import { newWithdrawer, outsideAddress } from '../../test/kit/service/withdrawer.ts';
import type { Ending } from '../../test/kit/unit/at-end.ts';
import { asApp } from '../../test/kit/unit/callers.ts';
import { randomNumbers } from '../../test/kit/unit/fault-proxy.ts';
import { png } from '../../test/kit/unit/png.ts';
import { changeApps } from '../../test/rows/apps.ts';
import { insertCalls } from '../../test/rows/calls.ts';
import { insertLivedInHistory } from '../../test/rows/lived-in.ts';
import { readyAddresses } from '../../test/rows/withdrawals.ts';
import { livedInEconomy } from './economy.ts';

/** The service with games and players, for all scenes. */
export type World = TestService & {
  /** A game's site, which may frame our pages. */
  readonly site: string;
  readonly arcade: OpenArcade;
  readonly games: Readonly<
    Record<
      'verified' | 'plain' | 'misleading' | 'long' | 'rightToLeft' | 'allowance' | 'topUp' | 'redirecting' | 'native',
      TestApp
    >
  >;
  /** Plays a lot: for the account's pages. */
  readonly ada: Person;
  /** Is asked for payments. */
  readonly payer: Person;
  /** Has just signed up. */
  readonly newcomer: Person;
  /** Came by a mailed code, and has a passkey since a moment ago, whose mail has the link with {@link NEW_PASSKEY}. */
  readonly proved: Person;
  /** Signs in to games. */
  readonly player: Person;
  readonly longNamed: Person;
  /** The operator has frozen their account. */
  readonly frozen: Person;
  /** The payer, who signed in long ago. */
  readonly late: Person;
  readonly developer: Person;
  readonly operator: Person;
  /** The developer's app that players use. */
  readonly busy: CreatedApp;
  /** Another service, in development mode. */
  inDevelopment(): Promise<TestService>;
  guest(game: TestApp, balance?: number): Promise<NewGuest>;
};

/** What payments above this need is a scene of its own. */
export const CONFIRM_ABOVE = 500;

const ENV = {
  CONFIRM_ABOVE: String(CONFIRM_ABOVE),
  EXPLORER_URL: 'https://explorer.example/tx/{tx}',
  FINAL_AFTER: '1',
  WITHDRAWALS: 'on',
};

export async function setWorld(t: Ending): Promise<World> {
  const service = await startTestService(t, { env: ENV });
  const site = await startGameSite(t);
  const arcade = await openArcade(t, service);
  const games = await createGames(service, site);
  const ada = await createPerson(service, { email: 'ada@mail.example' });
  await storePassword(service.service.db, ada.userId, await hashPassword(PASSWORD));
  const payer = await createPerson(service, { displayName: 'Sam', email: 'sam@mail.example' });
  const longNamed = await createPerson(service, {
    displayName: 'Maximiliane Alexandra von Hohenberg-Rhein',
    email: 'maximiliane.alexandra.von-hohenberg-rhein.the-third@a-rather-long-subdomain.mail.example',
  });
  const developer = await createPerson(service, { displayName: 'Dev', email: 'dev@game.example' });
  await livedInEconomy(service, Object.values(games));
  const world = {
    ...service,
    site,
    arcade,
    games,
    ada,
    longNamed,
    frozen: await createPerson(service, { displayName: 'Alex', email: 'alex@mail.example' }),
    newcomer: await createPerson(service, { displayName: 'Robin', email: 'robin@mail.example' }),
    proved: await provedPerson(service),
    payer,
    player: await createPerson(service, { displayName: 'Kim', email: 'kim@mail.example' }),
    late: { ...payer, ...(await signIn(service, payer.userId, 60)) },
    developer,
    operator: await createOperator(service, { displayName: 'Olga', email: 'olga@operator.example' }),
    busy: await createBusyApp(service, developer),
    inDevelopment: lazily(() => startTestService(t, { development: true })),
    async guest(game: TestApp, balance = 0) {
      const guest = await service.createGuest(game);
      if (balance > 0) await service.issue(guest.userId, balance);
      return guest;
    },
  };
  await service.issue(longNamed.userId, 1_234_567_890);
  await service.issue(world.frozen.userId, 320);
  await freeze(service.service, world.frozen.userId);
  await service.issue(payer.userId, 1_500);
  await grantReward(service.service, { user: payer.userId, amount: asQuarters(25) });
  await fillAccount(world);
  await publishNow(world);
  await fillWithdrawals(world);
  return world;
}

async function createGames(service: TestService, site: string): Promise<World['games']> {
  const game = async (
    name: string,
    verified: boolean,
    more: Partial<NewApp> = {},
    colour?: [number, number, number],
  ) => {
    const app = await service.createApp({ name, frameAncestors: [site], resultOrigins: [site], ...more });
    if (colour) await updateApp(service.service, OPERATOR, app.id, { picture: png(96, colour) });
    if (verified) await verifyApp(service.service, app.id);
    return app;
  };
  const misleading = await game('Prizes', false);
  // From before such names were refused.
  await changeApps(service.service.db, { id: misleading.id }, { name: 'Prizes at evil.example' });
  return {
    misleading,
    verified: await game('Chess Royale', true, {}, [37, 99, 235]),
    plain: await game('Dungeon', false),
    long: await game('The Extraordinarily Long Adventures of Captain Quarterdeck', false, {}, [200, 40, 90]),
    rightToLeft: await game('شطرنج الملوك', true, {}, [22, 140, 90]),
    allowance: await game('Idle Farm', true, { autoApprove: true }, [230, 160, 20]),
    topUp: await game('Treasure Hunt', true, { topUpUrl: 'https://treasure-hunt.example/shop' }, [0, 150, 170]),
    native: await game('Pocket Quest', true, { redirectUris: [OWN_SCHEME] }, [120, 120, 40]),
    redirecting: await game('Space Race', true, { redirectUris: [`${site}/back`] }, [90, 60, 180]),
  };
}

/** A month of payments, and today's by the program itself. */
async function createBusyApp(service: TestService, { session }: Person): Promise<CreatedApp> {
  const details = { name: 'Sky Harbour', redirectUris: [], frameAncestors: [], resultOrigins: [], topUpUrl: null };
  const busy = await createApp(service.service, asDeveloper(session), { ...details, publicClient: false });
  const { id } = busy.app;
  const game = { id, address: busy.address, serverKey: busy.serverKey };
  const guests = [await service.createGuest(game), await service.createGuest(game), await service.createGuest(game)];
  const users = guests.map(({ userId }) => userId);
  const history = {
    appId: id,
    users,
    hours: 720,
    requestsAnHour: 4,
    multiplesOf: 1_234,
    random: randomNumbers(7),
  };
  await service.issue(id, await insertLivedInHistory(service.service.db, history));
  await service.issue(guests[0]!.userId, 500);
  const player = { userId: guests[0]!.userId } as Person;
  const paid = await askFor(service, game, player, 120, 'A golden rook');
  await approve(service, paid);
  await service.settled();
  await refundRequest(service.service, asApp(id), { requestId: paid.id, amount: 20 });
  await service.settled();
  await askFor(service, game, player, 35, 'One more life');
  const anHourAgo = (hours: number) => new Date(Math.floor(Date.now() / 3_600_000 - hours) * 3_600_000);
  const errors = [
    ...[{ hour: anHourAgo(2), status: 402, code: 'insufficient-quarters', calls: 6 }],
    ...[{ hour: anHourAgo(9), status: 429, code: 'rate-limited', calls: 14 }],
    ...[{ hour: anHourAgo(9), status: 503, code: 'overloaded', calls: 3 }],
  ];
  const counts = errors.map((error) => ({ ...error, appId: id }));
  await insertCalls(service.service.db, id, [], counts);
  return busy;
}

/** Payments in every state, deposits, a reward, passkeys, sessions, and games with rights. */
async function fillAccount(world: TestService & Pick<World, 'games' | 'ada'>): Promise<void> {
  const { games, ada, service } = world;
  await world.issue(games.verified.id, 10_000);
  await world.issue(ada.userId, 1_500);
  const asked = (amount: number, text: string, game = games.verified) => askFor(world, game, ada, amount, text);
  for (const [app, more] of [
    [games.verified, true],
    [games.long, false],
    [games.allowance, true],
  ] as const) {
    await grantConsent(service.db, { userId: ada.userId, appId: app.id, scopes: ['profile', 'wallet', 'requests'] });
    const limits = { maxPerTransfer: asQuarters(100), maxPerDay: asQuarters(1_000), days: 30 };
    if (more) await grantMandate(service.db, { userId: ada.userId, appId: app.id, ...limits });
  }
  for (const [amount, text, game] of [
    [120, 'A golden rook', games.verified],
    [5, 'قلعة من ذهب', games.rightToLeft],
    [40, 'One more chapter of the very long story that this game tells its players, with a map', games.long],
    [1, 'Seeds', games.allowance],
  ] as const) {
    await approve(world, await asked(amount, text, game), game === games.allowance ? 'mandate' : 'page');
  }
  await pay(world, games.verified, ada, 60);
  await world.settled();
  await move(world, (await asked(300, 'A castle')).id, 'decline');
  await move(world, (await asked(70, 'A horse', games.plain)).id, 'expire');
  await move(world, (await asked(9, 'A hat')).id, 'cancel');
  await asked(15, 'A pawn');
  await grantReward(service, { user: ada.userId, amount: asQuarters(25) });
  await storePasskey(world, ada.userId, 'Ada’s phone');
  await storePasskey(world, ada.userId, 'Work laptop');
  await signIn(world, ada.userId, 600);
}

/** What the mailed link about a new passkey holds. */
export const NEW_PASSKEY = 'qs_pictures';

async function provedPerson(service: TestService): Promise<Person> {
  const person = await createPerson(service, { email: 'noor@mail.example', methods: ['pwd', 'otp'] });
  await storePasskey(service, person.userId, 'Noor’s phone', NEW_PASSKEY);
  return person;
}

/** Addresses in each state, and a withdrawal. */
async function fillWithdrawals(world: World): Promise<void> {
  const { ada, service } = world;
  const withdrawer = await newWithdrawer(world, ada);
  const [ready, stopped, waiting] = [outsideAddress(), outsideAddress(), outsideAddress()];
  for (const address of [ready, stopped]) await withdrawer.add(toChecksum(address));
  await readyAddresses(service.db, ada.userId);
  await withdrawer.add(toChecksum(waiting));
  await withdrawer.take(25, ready);
  await stopWithdrawalAddress(service.db, { userId: ada.userId, address: stopped });
  await world.settled();
}
