import type { TestContext } from 'node:test';
import { asAddress } from '../../../src/base/address.ts';
import type { NewGuest } from '../../../src/features/guests/create-guest.ts';
import { payUser } from '../../../src/features/payments/pay-user.ts';
import type { Log } from '../../../src/service/service.ts';
import { asApp } from '../unit/callers.ts';
import { startFaultyChain } from './chain-faults.ts';
import { createDatabase } from './database.ts';
import type { Accepted } from './scenario.ts';
import { newDataDir, startTestService, type TestService } from './service.ts';
import { findSnapshot } from './snapshot.ts';

/** The same for all services of a test, even if there is no first start to copy. */
const MASTER_KEY = 'c'.repeat(64);

/**
 * A service that ran, paid and was stopped, and a way to start others on its database, or on a copy of it, and on its
 * chain.
 */
export async function ranBefore(t: TestContext, env: Record<string, string> = {}, wings?: string) {
  const snapshot = findSnapshot();
  const faulty = await startFaultyChain(t, { state: snapshot?.chainState });
  const databaseUrl = await createDatabase(t, snapshot?.database);
  /** What any of them has logged as errors. */
  const errors: string[] = [];
  const log: Log = { info() {}, warn() {}, error: (_, message) => void errors.push(message) };
  // All of them have one, as on one machine.
  const dataDir = newDataDir(t);
  const chain = { evm: faulty.evm, rpcUrls: [faulty.proxy.url], snapshot };
  /** Does not wait until everything is settled. */
  const start = (url = databaseUrl, settles = false, more: Record<string, string> = {}) =>
    startTestService(t, {
      env: { ...(!snapshot && { MASTER_KEY }), ...env, ...more },
      ...{ log, chain, dataDir, databaseUrl: url, settles, ...(wings && { wings }) },
    });
  /** The current database, while no service has it open, as a backup would have it. */
  const copyDatabase = () => createDatabase(t, new URL(databaseUrl).pathname.slice(1));

  const accepted: Accepted[] = [];
  const first = await start(databaseUrl, true);
  const game = await first.createApp();
  await first.issue(game.id, 100_000);
  const guest = await first.createGuest(game);
  const pay = async ({ service }: TestService, amount: number, to: NewGuest = guest) => {
    const payment = { from: asAddress(game.address), amount, user: to.userId };
    const { transferId, requestId, txHash } = await payUser(service, asApp(game.id), payment);
    accepted.push({ transferId, requestId: requestId!, txHash });
  };
  await pay(first, 7);
  await first.settled();
  await first.stop();
  return { faulty, start, copyDatabase, game, guest, pay, accepted, errors };
}
