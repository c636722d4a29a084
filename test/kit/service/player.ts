import type { TestContext } from 'node:test';
import { asQuarters } from '../../../src/base/quarters.ts';
import { hashColumn } from '../../../src/db/columns.ts';
import type { NewGuest } from '../../../src/features/guests/create-guest.ts';
import { unclaimedRewards } from '../../../src/ledger/rewards.ts';
import { STATUS_NOW } from '../../../src/settlement/tables/transfers.ts';
import { makeFull } from './full-user.ts';
import { grantReward } from './operator-acts.ts';
import { newPayment, type Payment } from './payment.ts';
import { startTestService, type TestApp, type TestService } from './service.ts';
import { sharedService } from './shared-service.ts';

/** A full user of a game, who can get rewards and requests. */
export type Player = {
  readonly user: NewGuest;
  grant(amount: number, key?: string): Promise<unknown>;
  /** Makes a request for quarters. */
  ask(amount: number): Promise<Payment>;
  /** Makes a request and approves it on the page; resolves with the answer's status and the request's id. */
  spend(amount: number): Promise<{ status: number; id: string; txId: string | undefined }>;
  /** What they can spend: their own quarters, and rewards. */
  spendable(): Promise<[own: number, reward: number]>;
};

export async function newPlayer(s: TestService, game: TestApp, balance = 0): Promise<Player> {
  const user = await s.createGuest(game);
  await makeFull(s.service, user.userId);
  if (balance > 0) await s.issue(user.userId, balance);
  const ask = (tokens: number) => newPayment(s, game, { tokens, guest: user });
  return {
    user,
    ask,
    grant: (amount, key) => grantReward(s.service, { user: user.userId, amount: asQuarters(amount), key }),
    async spend(amount) {
      const payment = await ask(amount);
      const { status, location } = await payment.decide({ decision: 'approve' });
      return { status, id: payment.id, txId: /txId=(0x[0-9a-f]{64})/.exec(location ?? '')?.[1] };
    },
    async spendable() {
      const [account] = await s.service.db.query<{ own: bigint }>(
        'SELECT posted - held AS own FROM accounts WHERE user_id = $1',
        [user.userId],
      );
      return [Number(account!.own), Number(await unclaimedRewards(s.service.db, user.userId))];
    },
  };
}

/** A service with a game that has a redirect address for results. */
export async function startGame(t: TestContext, env: Record<string, string> = {}) {
  return withGame(await startTestService(t, { env }));
}

/** Such a game on the shared service. */
export async function sharedGame(t: TestContext) {
  return withGame(await sharedService(t));
}

async function withGame(s: TestService) {
  return { s, game: await s.createApp({ redirectUris: ['https://game.example/'] }) };
}

export type StoredLeg = { from_address: string; to_address: string; amount: bigint; status: string; tx_hash: string };

/** The transfers of a request, the treasury's leg last. */
export async function legsOf(
  { service }: Pick<TestService, 'service'>,
  requestId: string,
): Promise<(StoredLeg & { id: string; kind: string })[]> {
  return service.db.query(
    `SELECT id, from_address, to_address, amount, ${STATUS_NOW} AS status, ${hashColumn('tx_hash')} AS tx_hash, kind
       FROM transfers JOIN accounts ON address = from_address WHERE request_id = $1 ORDER BY kind DESC`,
    [requestId],
  );
}
