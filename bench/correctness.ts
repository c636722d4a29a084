import type { Stage } from './stage.ts';

type Expected = { readonly appIds: readonly string[]; readonly balance: number };

type Audit = { readonly equal: boolean; readonly onTheirWay: number; readonly differences: readonly object[] };

/** Throws unless the apps' accounts hold exactly what the accepted payments leave them, and ledger and chain are equal. */
export async function expectSettled(stage: Stage, { appIds, balance: expected }: Expected): Promise<void> {
  const { apps } = await stage.command<{ apps: { id: string; balance: number }[] }>('apps', 'list', '--json');
  const ours = new Set(appIds);
  const balance = apps.filter(({ id }) => ours.has(id)).reduce((sum, app) => sum + app.balance, 0);
  if (balance !== expected) throw new Error(`The apps should have ${expected} quarters. They have ${balance}.`);
  await expectCleanAudit(stage);
}

/** Throws if ledger and chain differ, or if a transfer is still on its way. */
async function expectCleanAudit(stage: Stage): Promise<void> {
  const { equal, onTheirWay, differences } = await stage.command<Audit>('audit', '--json');
  if (!equal) throw new Error(`The audit found differences: ${JSON.stringify(differences.slice(0, 3))}`);
  if (onTheirWay > 0) throw new Error(`${onTheirWay} transfers are still on their way.`);
}
