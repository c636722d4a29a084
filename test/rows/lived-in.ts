import { type AppId, lowestIdAt, type UserId } from '../../src/base/ids.ts';
import type { RequestStatus } from '../../src/requests/states.ts';
import { insertRequestRows } from './requests.ts';
import { insertRows, type Queries } from './statements.ts';

const HOUR_MS = 3_600_000;
const OUTCOMES: readonly [upTo: number, status: RequestStatus][] = [
  [0.06, 'declined'],
  [0.1, 'expired'],
  [1, 'completed'],
];
const ITEMS = ['A golden rook', 'Seeds', 'One more life', 'A map of the caves', 'A hat with a feather'];

const PARTIES = {
  payment: { fromParty: 'player', toParty: 'app' },
  payout: { fromParty: 'app', toParty: 'player' },
  return: { fromParty: 'app', toParty: 'treasury' },
} as const;
type LivedInKind = keyof typeof PARTIES;

type LivedIn = {
  readonly appId: AppId;
  readonly users: readonly UserId[];
  readonly hours: number;
  /** On average. */
  readonly requestsAnHour: number;
  /** All amounts are multiples of it; 5 by default. */
  readonly multiplesOf?: number;
  /** From 0 to below 1, the same numbers each time. */
  readonly random: () => number;
};

/**
 * The history of an app that players use: what they were asked for, what it paid them, and what moved in each hour before this one. Without
 * transfers. In this hour all of it leaves again, as the app's account has none of it. Returns the balance before that.
 */
export async function insertLivedInHistory(db: Queries, app: LivedIn): Promise<number> {
  const { appId, users, hours, requestsAnHour, multiplesOf = 5, random } = app;
  const thisHour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  let made = 0;
  let balance = 4_000 * multiplesOf;
  const flowOf = (kind: LivedInKind, amount: number, hour: number) => {
    return { step: 'hour', starts: new Date(hour), appId, kind, ...PARTIES[kind], count: 1, amount };
  };
  const pick = <Of>(from: readonly Of[]) => from[Math.floor(random() * from.length)]!;
  // Ids of one millisecond differ in their ends.
  const idAt = (at: number) => lowestIdAt(new Date(at)).slice(0, -12) + (++made).toString(16).padStart(12, '0');
  const requests = [];
  const events = [];
  const flows: ReturnType<typeof flowOf>[] = [];
  for (let hour = thisHour - hours * HOUR_MS; hour < thisHour; hour += HOUR_MS) {
    const busy = 1 + 0.8 * Math.sin(((hour / HOUR_MS - 9) / 24) * 2 * Math.PI);
    const count = Math.round(requestsAnHour * busy * (0.5 + random()));
    const moved = new Map<LivedInKind, number>();
    for (let i = 0; i < count; i++) {
      const at = hour + Math.floor(random() * (HOUR_MS - 120_000));
      const source = random() < 0.15 ? 'payout' : 'user';
      const userId = pick(users);
      const amount = multiplesOf * Math.ceil(random() * 30);
      const [, status] =
        source === 'payout'
          ? ([1, 'completed'] as const)
          : (OUTCOMES.find(([upTo]) => random() < upTo) ?? OUTCOMES[2]!);
      const decided = source === 'payout' ? at : at + 4_000 + Math.floor(random() * 50_000);
      const completed = decided + Math.floor(400 + 4_000 * random() ** 4);
      const steps: [string, number][] = [[`create app:${appId}`, at]];
      if (source === 'user') {
        const step = { declined: `decline user:${userId}`, expired: 'expire clock' }[status as string];
        steps.push([step ?? `approve user:${userId}`, decided]);
      }
      if (status === 'completed') steps.push(['submit chain', decided + 200], ['complete chain', completed]);
      const id = idAt(at);
      const times = { createdAt: new Date(at), expiresAt: new Date(at + 900_000) };
      const history = {
        transitions: steps.map(([what]) => what),
        transitionTimes: steps.map(([, when]) => new Date(when)),
      };
      const told = status === 'completed' ? (source === 'user' ? ['approved', 'completed'] : ['completed']) : [status];
      requests.push({
        ...times,
        ...history,
        id,
        appId,
        userId,
        source,
        status,
        amount,
        sequence: told.length,
        description: source === 'user' ? pick(ITEMS) : 'Weekly prize',
      } as const);
      for (const [n, what] of told.entries()) {
        const when = what === 'completed' ? completed : decided;
        const type = `${source === 'user' ? 'request' : 'transfer'}.${what}`;
        events.push({
          id: idAt(when),
          appId,
          type,
          sequence: n + 1,
          position: 1,
          requestId: id,
          createdAt: new Date(when),
        });
      }
      if (status !== 'completed') continue;
      balance += source === 'user' ? amount : -amount;
      const kind = source === 'user' ? 'payment' : 'payout';
      moved.set(kind, (moved.get(kind) ?? 0) + amount);
    }
    flows.push(...[...moved].map(([kind, amount]) => flowOf(kind, amount, hour)));
  }
  await insertRequestRows(db, requests);
  await insertRows(db, 'events', events);
  await insertRows(db, 'economy_flows', [...flows, flowOf('return', balance, thisHour)]);
  return balance;
}
