import { randomUUID } from 'node:crypto';
import { Problem, type ProblemCode } from '../../../src/base/problems.ts';
import type { Quarters } from '../../../src/base/quarters.ts';
import { performAction } from '../../../src/features/operator-actions/perform-action.ts';
import { listRewards } from '../../../src/features/rewards/rewards.ts';
import type { Service } from '../../../src/service/service.ts';

/** Does what an operator asks for on the command line, where nobody else has to approve it. */
async function act(
  service: Service,
  kind: string,
  params: Readonly<Record<string, unknown>>,
  id: string = randomUUID(),
) {
  const settings = { ...service.settings, fourEyesAbove: undefined };
  const asked = { id, kind, params, reason: 'A test' };
  const { action } = await performAction({ ...service, settings }, { kind: 'shell', osUser: 'deploy' }, asked);
  if (action.state === 'failed')
    throw new Problem(`${action.result?.code}` as ProblemCode, `${action.result?.message}`);
  return action;
}

export const verifyApp = (service: Service, app: string) => act(service, 'verify-app', { app });
export const unverifyApp = (service: Service, app: string) => act(service, 'unverify-app', { app });
export const disableAutoApproval = (service: Service, app: string) => act(service, 'disable-auto-approval', { app });
export const resolveReport = (service: Service, report: string) => act(service, 'resolve-report', { report });
export const addOperator = (service: Service, email: string) => act(service, 'add-operator', { email });
export const removeOperator = (service: Service, email: string) => act(service, 'remove-operator', { email });

export const joinAccount = (service: Service, user: string, account: string) =>
  act(service, 'join-account', { user, account });

/** `id`: of the action, which is done once however often it is asked for. */
export const issueAs = (service: Service, id: string, recipient: string, quarters: number) =>
  act(service, 'issue', { recipient, quarters }, id);

/** Returns how many players have got a mandate. */
export async function enableAutoApproval(service: Service, app: string, consent?: 'approval' | 'box') {
  return (await act(service, 'enable-auto-approval', { app, ...(consent && { consent }) })).result as {
    granted: number;
  };
}

/** Returns the hash of the transaction that cancels it. */
export async function cancelTransfer(service: Service, transfer: string): Promise<string> {
  return `${(await act(service, 'cancel-transfer', { transfer })).result?.txId}`;
}

export async function grantReward(
  service: Service,
  {
    user,
    amount: quarters,
    key,
  }: { readonly user: string; readonly amount: Quarters; readonly key?: string | undefined },
) {
  const { result } = await act(service, 'grant-reward', { user, quarters, key });
  const { rewards } = await listRewards(service, user);
  return { ...rewards.find(({ id }) => id === result?.reward)!, replayed: result?.replayed === true };
}
