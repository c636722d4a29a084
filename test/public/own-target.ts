import { issueKey } from '../../src/features/keys/keys.ts';
import { ALL_KEY_SCOPES } from '../../src/identity/key-scopes.ts';
import { OPERATOR } from '../../src/service/managers.ts';
import { startTestService } from '../kit/service/service.ts';
import { PASSWORD, personWithPassword } from '../kit/service/with-password.ts';
import { everyTest } from '../kit/unit/at-end.ts';
import { keyWith } from '../kit/unit/callers.ts';
import type { Target } from './target.ts';

const REDIRECT_URI = 'https://game.example/callback';
const PROGRAM = new URL('../../bin/quarters.mjs', import.meta.url).pathname;

/** A service of this tree with a game and a player, until all tests of this process have ended. */
export async function openOwnTarget(): Promise<Target> {
  const s = await startTestService(everyTest, {
    env: {
      ...{ WEBHOOK_PRIVATE_TARGETS: 'on', AUTO_APPROVE_PER_DAY: '1000000', AUTO_APPROVE_PER_TRANSFER: '1000' },
      GUESTS_PER_DAY: '1000000',
    },
  });
  const game = await s.createApp({ autoApprove: true, redirectUris: [REDIRECT_URI] });
  const serverKey = await issueKey(s.service, OPERATOR, game.id, keyWith(ALL_KEY_SCOPES));
  const clientSecret = await issueKey(s.service, OPERATOR, game.id, { kind: 'client' });
  await s.issue(game.id, 1_000_000);
  const { email } = await personWithPassword(s);
  const { masterKey, dataDir } = s.service.settings;
  return {
    origin: s.origin,
    game: { id: game.id, address: game.address, serverKey, clientSecret, redirectUri: REDIRECT_URI },
    player: { email, password: PASSWORD },
    program: PROGRAM,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: dataDir,
      QUARTERS_DATA_DIR: dataDir,
      DATABASE_URL: s.databaseUrl,
      CHAIN_RPC_URL: s.evm.url,
      PUBLIC_URL: s.origin,
      ...(masterKey && { MASTER_KEY: Buffer.from(masterKey).toString('hex') }),
    },
  };
}
