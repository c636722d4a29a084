import type { Stage } from './stage.ts';

type Expected = { readonly appId: string; readonly issued: number; readonly accepted: number };

type Audit = { readonly equal: boolean; readonly onTheirWay: number; readonly differences: readonly object[] };

/** Throws unless exactly the accepted transfers, of one quarter each, are paid, and ledger and chain are equal. */
export async function expectSettled(stage: Stage, { appId, issued, accepted }: Expected): Promise<void> {
  const { balance } = await stage.command<{ balance: number }>('apps', 'show', appId, '--json');
  if (balance !== issued - accepted) {
    throw new Error(`${accepted} transfers were accepted, but the app has ${balance} of ${issued} quarters left.`);
  }
  await expectCleanAudit(stage);
}

/** Throws if ledger and chain differ, or if a transfer is still on its way. */
export async function expectCleanAudit(stage: Stage): Promise<void> {
  const { equal, onTheirWay, differences } = await stage.command<Audit>('audit', '--json');
  if (!equal) throw new Error(`The audit found differences: ${JSON.stringify(differences.slice(0, 3))}`);
  if (onTheirWay > 0) throw new Error(`${onTheirWay} transfers are still on their way.`);
}
