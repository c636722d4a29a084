import { relative } from 'node:path';
import { toChecksum } from '../base/address.ts';
import { basesOf } from '../config/bases.ts';
import type { Service } from '../settlement/service.ts';
import type { FoundDemoApp } from './demo-app.ts';
import type { Parts } from './embedded-parts.ts';

/** Composes what the operator sees when the service is ready. `arcade` is the example game's origin. */
export function startScreen(
  service: Service,
  parts: Parts,
  demo: FoundDemoApp | null,
  arcade: string | null,
  seconds: number,
): string {
  const { publicUrl, chain, settings } = service;
  const { api, approval } = basesOf(settings, publicUrl);
  const folder = relative(process.cwd(), settings.dataDir) || settings.dataDir;
  const chainPlace = parts.embedded.chain ? `embedded, ${parts.rpcUrls[0]}` : 'from CHAIN_RPC_URL';
  const lines = [
    '',
    `  Quarters is running at ${publicUrl}   (ready in ${seconds.toFixed(1)} s)`,
    '',
    ...(arcade ? [`    Play        ${arcade}   (example game: start here)`] : []),
    `    API         ${api}/v1`,
    `    Players     ${publicUrl}/sign-up, ${approval}/requests/<request id>`,
    `    Developers  ${publicUrl}/developer, ${publicUrl}/docs (API reference)`,
    `    Chain       ${chain.chainId}, ${chainPlace}`,
    `    Token       ${toChecksum(chain.contracts.token)}`,
    `    Database    ${parts.embedded.database ? 'embedded' : 'from DATABASE_URL'}`,
    `    Mail        ${settings.smtpUrl ? 'through SMTP_URL' : `not sent: written to ${folder}/mail`}`,
    `    Data        ${folder}`,
    '',
    ...(demo
      ? demoLines(service, demo, demo.keyIsNew || isTrial(parts), folder)
      : ['    Register an app:  npx quarters apps create --name "My Game"']),
    '',
    '  Ctrl-C stops the service.',
    '',
  ];
  return lines.join('\n');
}

/** Whether everything is embedded. Such an installation holds nothing of value, so every screen may show the key. */
function isTrial({ embedded }: Parts): boolean {
  return embedded.database && embedded.chain;
}

function demoLines({ settings, publicUrl }: Service, demo: FoundDemoApp, showKey: boolean, folder: string): string[] {
  const { api, devApi } = basesOf(settings, publicUrl);
  const key = `-H 'Authorization: Bearer ${showKey ? demo.serverKey : '<server key>'}'`;
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
