import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startArcade } from '../../../examples/arcade/server.ts';
import { updateApp } from '../../../src/features/apps/update-app.ts';
import { OPERATOR } from '../../../src/service/managers.ts';
import { createGame, type Game } from '../service/conversion.ts';
import type { TestService } from '../service/service.ts';
import { atEnd, type Ending } from '../unit/at-end.ts';

export type OpenArcade = {
  readonly origin: string;
  readonly app: Game;
  /** What a restart would know of the players. */
  storedPlayers(): { readonly userId: string; readonly refreshToken?: string }[];
  /** Moves the arcade's clock on, and nobody else's. It begins at the next noon (UTC), so that no test of a day meets midnight. */
  passTime(seconds: number): void;
};

/** The example game, on 127.0.0.1, registered and funded as `npm start` does it. */
export async function openArcade(t: Ending, service: TestService): Promise<OpenArcade> {
  const app = await createGame(service, { name: 'Flipside', redirectUris: [], autoApprove: true });
  await service.issue(app.id, 10_000);
  const folder = mkdtempSync(join(tmpdir(), 'quarters-arcade-'));
  atEnd(t, () => rmSync(folder, { recursive: true, force: true }));
  const playersFile = join(folder, 'players.json');
  let ahead = untilNoon();
  const { origin, close } = await startArcade({
    app: {
      pages: service.origin,
      api: service.origin,
      guestApi: service.origin,
      id: app.id,
      address: app.address,
      serverKey: app.serverKey,
      clientSecret: app.secret,
    },
    port: 0,
    playersFile,
    now: () => Date.now() + ahead,
  });
  atEnd(t, close);
  await updateApp(service.service, OPERATOR, app.id, {
    redirectUris: [`${origin}/back`],
    frameAncestors: [origin],
    resultOrigins: [origin],
  });
  return {
    origin,
    app,
    storedPlayers: () => JSON.parse(readFileSync(playersFile, 'utf8')).map(([, player]: [string, unknown]) => player),
    passTime(seconds) {
      ahead += seconds * 1000;
    },
  };
}

const DAY_MS = 86_400_000;

function untilNoon(): number {
  return (DAY_MS * 1.5 - (Date.now() % DAY_MS)) % DAY_MS;
}
