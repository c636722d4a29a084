import { asQuarters } from '../../src/base/quarters.ts';
import { refundRequest } from '../../src/features/payments/refund-request.ts';
import { periodAt, periodBefore } from '../../src/wings/economy/base/periods.ts';
import { noteEconomy } from '../../src/wings/economy/features/note-accounts.ts';
import { approve, askFor, pay } from '../../test/kit/service/history.ts';
import { grantReward } from '../../test/kit/service/operator-acts.ts';
import { createPerson, type Person } from '../../test/kit/service/people.ts';
import type { TestApp, TestService } from '../../test/kit/service/service.ts';
import { countAgain } from '../../test/kit/service/story.ts';
import { asApp } from '../../test/kit/unit/callers.ts';
import { changePostings } from '../../test/rows/ledger.ts';

const HOUR_MS = 3_600_000;

/** What an app gets and gives in a month. Their figures have up to seven digits, as those of a real installation have. */
const MONTHS = [
  { paid: 1_658_892, paidOut: 153_765, refunded: 1_204 },
  { paid: 1_466_031, paidOut: 1_912_440, refunded: 48_310 },
] as const;

/** The month before and this one, of some apps and one more. */
export async function livedInEconomy(s: TestService, others: readonly TestApp[]): Promise<void> {
  const apps = [...others, await s.createApp({ name: 'Kingdoms of the Northern Lights: Anniversary Edition' })];
  const names = ['Maximiliane Alexandra von Hohenberg-Rhein', 'Kim', 'xX_TheUnstoppableDragonSlayer_Xx', 'Bartholomew'];
  const players = await Promise.all(names.map((displayName) => createPerson(s, { displayName })));
  await Promise.all([
    ...players.map(({ userId }) => s.issue(userId, 9_800_000)),
    ...apps.map(({ id }) => s.issue(id, 2_400_000)),
  ]);
  await s.settled();
  const month = periodAt('month', new Date());
  for (const [m, figures] of MONTHS.entries()) {
    for (const [i, app] of apps.entries()) await liveOneMonth(s, app, players[(i + m) % players.length]!, i, figures);
    await s.settled();
    // Early in the month, because it is compared with what has passed of this one. A scene moves everything 90 minutes back.
    if (m === 0) {
      const postedAt = new Date(periodBefore(month).from.getTime() + 2 * HOUR_MS);
      await changePostings(s.service.db, {}, { postedAt });
    }
  }
  await countAgain(s, month);
  await noteEconomy(s.service);
}

async function liveOneMonth(
  s: TestService,
  app: TestApp,
  player: Person,
  place: number,
  { paid, paidOut, refunded }: (typeof MONTHS)[number],
): Promise<void> {
  const share = (amount: number) => Math.max(1, Math.round(amount / (place + 1) ** 2));
  if (place % 3 === 0) await grantReward(s.service, { user: player.userId, amount: asQuarters(share(20_000)) });
  const asked = await askFor(s, app, player, share(paid), 'A golden rook');
  await approve(s, asked);
  await s.settled();
  if (place % 2 === 0) await pay(s, app, player, share(paidOut));
  if (place % 4 === 0) await refundRequest(s.service, asApp(app.id), { requestId: asked.id, amount: share(refunded) });
}
