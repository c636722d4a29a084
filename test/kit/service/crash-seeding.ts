import type { Random } from '../unit/crash-random.ts';
import type { World } from './crash-world.ts';
import { type LoadClient, openLoadClient } from './load-client.ts';
import type { TestApp } from './service.ts';

/** Seeds two games with much money and six guests with little, so that some approvals find nothing left. */
export async function seedGames(
  world: World,
  origin: string,
  random: Random,
  options?: Parameters<typeof openLoadClient>[1],
): Promise<{ client: LoadClient; apps: readonly TestApp[] }> {
  // The treasury can give nothing before the block that funded it is followed.
  await world.settled();
  const apps = [await world.createApp(), await world.createApp()];
  for (const app of apps) await world.issue(app.id, 1_000_000_000);
  const client = openLoadClient(random, options);
  for (let i = 0; i < 6; i++) {
    const { address } = await client.newGuest(origin, apps[i % 2]!);
    await world.issue(address, 500 + i);
  }
  await world.settled();
  return { client, apps };
}
