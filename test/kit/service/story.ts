import { asQuarters } from '../../../src/base/quarters.ts';
import { refundRequest } from '../../../src/features/payments/refund-request.ts';
import { type Period, periodAt, periodBefore } from '../../../src/wings/economy/base/periods.ts';
import { rollUpBite } from '../../../src/wings/economy/features/roll-up.ts';
import { lockEconomy } from '../../../src/wings/economy/store/cursor.ts';
import { startOver } from '../../../src/wings/economy/store/undo.ts';
import { readEconomy } from '../../../src/wings/economy/views/read-economy.ts';
import { changePostings } from '../../rows/ledger.ts';
import { asApp } from '../unit/callers.ts';
import { until } from '../unit/until.ts';
import { approve, askFor, pay } from './history.ts';
import { grantReward } from './operator-acts.ts';
import { createPerson, type Person } from './people.ts';
import type { TestApp, TestService } from './service.ts';

/** Two apps and a player over two months. */
export type Story = {
  readonly lastMonth: Period;
  readonly month: Period;
  readonly game: TestApp;
  readonly other: TestApp;
  readonly player: Person;
  /** What the player paid the game last month, 60 quarters of their own. */
  readonly payment: string;
  /** What they paid it this month: 30 of their own and a reward of 25. */
  readonly split: string;
};

/**
 * Last month the game was issued 1,000 quarters, paid the player 200 and got 60 back. This month the player paid it 55 (25 of them by a
 * reward), it refunded 10, and the player paid the other app 7.
 */
export async function tellStory(s: TestService): Promise<Story> {
  const { db } = s.service;
  const [game, other] = [await s.createApp({ name: '=Chess' }), await s.createApp({ name: 'Dungeon' })];
  const player = await createPerson(s, { displayName: 'Sam "the" Spender' });
  await s.issue(game.id, 1_000);
  await pay(s, game, player, 200);
  await s.settled();
  const payment = await askFor(s, game, player, 60);
  await approve(s, payment);
  await s.settled();
  const month = periodAt('month', new Date());
  const lastMonth = periodBefore(month);
  // Early in the month, so that it is always compared with what has passed of this one.
  await changePostings(db, {}, { postedAt: new Date(lastMonth.from.getTime() + 60_000) });

  await grantReward(s.service, { user: player.userId, amount: asQuarters(25) });
  const split = await askFor(s, game, player, 55);
  await approve(s, split);
  await s.settled();
  await refundRequest(s.service, asApp(game.id), { requestId: split.id, amount: 10 });
  await approve(s, await askFor(s, other, player, 7));
  await s.settled();
  await countAgain(s, month);
  return { lastMonth, month, game, other, player, payment: payment.id, split: split.id };
}

/** Counts everything again, because times of postings never change otherwise. */
export async function countAgain({ service }: TestService, month: Period): Promise<void> {
  await until('the economy is counted', async () => {
    await service.db.transaction(async (tx) => {
      if (await lockEconomy(tx)) await startOver(tx);
    });
    while (await rollUpBite(service));
    return (await readEconomy(service, month)).counted.isWhole;
  });
}
