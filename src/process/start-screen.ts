import { relative } from 'node:path';
import { toChecksum } from '../base/address.ts';
import { basesOf } from '../config/bases.ts';
import { isTryOutElsewhere } from '../config/development.ts';
import type { Settings } from '../config/settings.ts';
import { DEVELOPERS_CONSOLE } from '../service/console-path.ts';
import type { House } from '../service/house.ts';
import type { ChainFacts } from '../service/service.ts';
import { DOCUMENTS } from '../web/header-links.ts';
import type { ListeningPlace } from './listening-place.ts';

/** What a try-out adds to the start screen. */
export type TryOut = {
  /** The origin of the example game. Null if it did not start. */
  readonly game: string | null;
  /** Signs in the owner of the demo app, once. Null outside of development mode. */
  readonly signInLink: string | null;
  readonly lines: readonly string[];
};

/** What the screen shows of the service. A worker sends it to its supervisor. */
export type ShownService = Pick<ChainFacts, 'chainId' | 'contracts'> & {
  /** The path of the recovery kit, if this start has written it. */
  readonly writtenKit: string | null;
};

const CONSOLE_NOTE = `                (the demo app's payments and settings; works once, another one: npx quarters sign-in-link)`;

const KIT_NOTE = 'new: keep a copy elsewhere, then run npx quarters custody kit --kept';

/** Composes what the operator sees when the service is ready. */
export function startScreen(
  settings: Settings,
  house: House,
  { publicUrl, embedded, rpcUrls }: ListeningPlace,
  { chainId, contracts, writtenKit }: ShownService,
  tryOut: TryOut | null,
  seconds: number,
): string {
  const { api, approval } = basesOf(settings, publicUrl);
  const folder = relative(process.cwd(), settings.dataDir) || settings.dataDir;
  const chainPlace = embedded.chain ? `embedded, ${rpcUrls[0]}` : 'from CHAIN_RPC_URL';
  const developers = [
    ...house.of(DEVELOPERS_CONSOLE).map((path) => publicUrl + path),
    ...house.of(DOCUMENTS).map((path) => `${publicUrl}${path} (documentation)`),
  ];
  const lines = [
    '',
    `  Quarters is running at ${publicUrl}   (ready in ${seconds.toFixed(1)} s${workersNote(settings)})`,
    '',
    ...(tryOut?.game ? [`    Play        ${tryOut.game}   (example game: start here)`] : []),
    ...(tryOut?.signInLink && house.of(DEVELOPERS_CONSOLE).length > 0
      ? [`    Console     ${tryOut.signInLink}`, CONSOLE_NOTE]
      : []),
    `    API         ${api}/v1`,
    `    Players     ${publicUrl}/sign-up, ${approval}/requests/<request id>`,
    ...(developers.length > 0 ? [`    Developers  ${developers.join(', ')}`] : []),
    `    Chain       ${chainId}, ${chainPlace}`,
    `    Token       ${toChecksum(contracts.token)}`,
    `    Database    ${embedded.database ? 'embedded' : 'from DATABASE_URL'}`,
    `    Mail        ${settings.smtpUrl ? 'through SMTP_URL' : `not sent: written to ${folder}/mail`}`,
    `    Data        ${folder}`,
    ...(writtenKit ? [`    Recovery    ${relative(process.cwd(), writtenKit)}   (${KIT_NOTE})`] : []),
    '',
    ...(tryOut?.lines ?? ['    Register an app:  npx quarters apps create --name "My Game"']),
    '',
    '  Ctrl-C stops the service.',
    '',
  ];
  return lines.join('\n');
}

/** What follows from where it listens, if that is more than this machine. */
export function placeNote({
  publicUrl,
  embedded,
  isLan,
}: Pick<ListeningPlace, 'publicUrl' | 'embedded' | 'isLan'>): string | null {
  if (isLan) {
    return `Warning: everybody in your network reaches ${publicUrl}, and can do there what you can. Use --lan only where you trust all of them.`;
  }
  if (!isTryOutElsewhere({ embedded, publicUrl })) return null;
  return `Development mode is off, because PUBLIC_URL (${publicUrl}) is not of this machine: new apps get no test quarters, and there is no sign-in link. To try it on a phone of your network, unset PUBLIC_URL and HOST, and run: npm start -- --lan`;
}

function workersNote({ workers }: Settings): string {
  return workers === 1 ? '' : `, ${workers} workers`;
}
