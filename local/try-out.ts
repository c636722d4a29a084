import { relative } from 'node:path';
import { basesOf } from '../src/config/bases.ts';
import { newSignInLink } from '../src/features/sessions/sign-in-link.ts';
import type { Parts } from '../src/process/parts.ts';
import type { Closers } from '../src/process/shutdown.ts';
import type { TryOut } from '../src/process/start-screen.ts';
import type { Service } from '../src/service/service.ts';
import { startArcade } from './arcade.ts';
import { demoApp, type FoundDemoApp } from './demo-app.ts';
import { repeatStep } from './repeat-step.ts';

/** Adds a demo app and the example game if the setting DEMO_APP asks for them. */
export async function addTryOut(
  service: Service,
  parts: Pick<Parts, 'embedded'>,
  closers: Closers,
  ended: AbortSignal,
): Promise<TryOut | null> {
  const { settings, log } = service;
  if (settings.demo === 'off' || (settings.demo === 'auto' && !isAllEmbedded(parts))) return null;
  const demo = await repeatStep(() => demoApp(service), { log, ended });
  if (!demo) return null;
  const arcade = await startArcade(service, demo, ended);
  if (arcade) await closers.opened(arcade.stop);
  return {
    game: arcade?.origin ?? null,
    signInLink: service.development ? await newSignInLink(service) : null,
    lines: demoLines(service, demo, demo.keyIsNew || isAllEmbedded(parts)),
  };
}

/** Such an installation holds nothing of value, so every screen may show the key. */
function isAllEmbedded({ embedded }: Pick<Parts, 'embedded'>): boolean {
  return embedded.database && embedded.chain;
}

function demoLines({ settings, publicUrl }: Service, demo: FoundDemoApp, showKey: boolean): string[] {
  const folder = relative(process.cwd(), settings.dataDir) || settings.dataDir;
  const { api, devApi } = basesOf(settings, publicUrl);
  const key = showKey
    ? `-H 'Authorization: Bearer ${demo.serverKey}'`
    : '-H "Authorization: Bearer $QUARTERS_SERVER_KEY"';
  return [
    '  Demo app, with quarters in its account',
    `    appId       ${demo.id}`,
    `    account     ${demo.address}`,
    `    server key  ${showKey ? demo.serverKey : `in ${folder}/demo-app.json`}`,
    '',
    '  Try next',
    '  1. Create a guest:',
    `     curl -X POST ${devApi}/v1/new-guest ${key}`,
    '  2. Pay the guest 500 quarters from the app (insert its user_id):',
    `     curl -X POST ${api}/v1/accounts/${demo.address}/transfer ${key} \\`,
    `       -H 'Content-Type: application/json' -d '{"amount": 500, "user": "<user_id>"}'`,
    '  3. Inspect the transfer (insert the txId):',
    '     npx quarters transfers show <txId>',
  ];
}
