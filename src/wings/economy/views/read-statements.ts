import { type App, findApps } from '../../../identity/apps.ts';
import type { Service } from '../../../service/service.ts';
import type { Period } from '../base/periods.ts';
import type { CountedUpTo } from './economy.ts';
import { readAppFlows } from './read-economy.ts';
import { type Statement, statementOf } from './statements.ts';

/** The statement of one app for a period. `until`: where it ends earlier, to compare a part of the period. */
export async function readStatement(
  service: Pick<Service, 'reads'>,
  app: Pick<App, 'id' | 'name'>,
  period: Period,
  until: Date = period.until,
): Promise<Statement> {
  const { counted, apps } = await readAppFlows(service, period.from, until, app.id);
  return statementOf(app, period, counted, apps[0] ?? { opening: 0n, flows: [], closing: 0n });
}

export type Statements = { readonly counted: CountedUpTo; readonly statements: readonly Statement[] };

/** The statements of a period of all apps that had quarters in it, by name. */
export async function readStatements(service: Pick<Service, 'reads'>, period: Period): Promise<Statements> {
  const { counted, apps: flows } = await readAppFlows(service, period.from, period.until);
  const apps = await findApps(
    service.reads,
    flows.map(({ appId }) => appId),
  );
  const statements = flows.map((one) => {
    const name = apps.get(one.appId)?.name ?? one.appId;
    return statementOf({ id: one.appId, name }, period, counted, one);
  });
  const hadQuarters = ({ opening, totalIn }: Statement) => opening !== 0n || totalIn !== 0n;
  return { counted, statements: statements.filter(hadQuarters).sort(byName) };
}

const byName = (a: Statement, b: Statement) => a.app.name.localeCompare(b.app.name, 'en', { numeric: true });

type Sums = Pick<Statement, 'opening' | 'totalIn' | 'totalOut' | 'closing'>;

/** The sums of several statements, which add up as each of them does. */
export function sumOfStatements(statements: readonly Statement[]): Sums {
  const sum = (name: keyof Sums) => statements.reduce((total, statement) => total + statement[name], 0n);
  return { opening: sum('opening'), totalIn: sum('totalIn'), totalOut: sum('totalOut'), closing: sum('closing') };
}
