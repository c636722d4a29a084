import type { Logger } from 'pino';
import { startFaults } from '../config/read-settings.ts';
import type { Settings } from '../config/settings.ts';
import { SettingsError } from '../config/settings-error.ts';
import { masterKeySource, othersMayRead } from '../custody/master-key.ts';
import { requireFreePort } from '../http/listen.ts';
import type { House } from '../service/house.ts';
import { WORKERS } from './additions.ts';
import type { AnswerCalls } from './answering.ts';
import { lockFolder, removeRunning, writeRunning } from './data-folder.ts';
import { type Lifetime, runToEnd } from './lifetime.ts';
import { chooseListeningPlace, runningAt } from './listening-place.ts';
import { quietStart } from './logging.ts';
import type { Program } from './program.ts';
import { openEnding } from './shutdown.ts';
import { placeNote, startScreen } from './start-screen.ts';

/**
 * Starts the whole service and resolves when it has stopped, on Ctrl-C (SIGINT) or SIGTERM. It throws if the
 * start fails or an essential part is lost. Both end the start at any step and stop everything that was started,
 * including what a step still starts meanwhile.
 */
export async function start(
  settings: Settings,
  log: Logger,
  out: NodeJS.WritableStream & { readonly isTTY?: boolean },
  program: Program,
  house: House,
): Promise<void> {
  const faults = startFaults(settings);
  if (faults.length > 0) throw new SettingsError(faults);
  const say = (line: string) => void out.write(`${line}\n`);
  const answer = settings.workers === 1 ? (await import('./answer-alone.ts')).answerAlone : await byWorkers(house);
  const life = { log, house, say, ending: openEnding(log) };
  const logAll = quietStart(log, out);
  await runToEnd(
    life,
    (life) => bringUp(settings, life, program, answer).then(logAll),
    () => lockFolder(settings.dataDir),
  );
}

async function byWorkers(house: House): Promise<AnswerCalls> {
  const [workers] = house.of(WORKERS);
  if (workers) return workers.loadSupervisor();
  throw new SettingsError(['WORKERS is more than 1, and WINGS leaves out workers: set one of them']);
}

/** Runs all steps of a start in order. Each registers what it opens with `closers` at once. */
async function bringUp(settings: Settings, life: Lifetime, program: Program, answer: AnswerCalls): Promise<void> {
  const { say, closers, ending, house } = life;
  const began = performance.now();
  // Before anything is prepared in vain.
  await requireFreePort({ host: settings.host, port: settings.port, setting: 'PORT' });
  say('Connecting to database and chain …');
  const opening = program.openParts(settings, say, ending.signal);
  // Registered while they still open, so that an early end also stops the part that has already started.
  await closers.opened(() =>
    opening.then(
      ({ stop }) => stop(),
      () => {},
    ),
  );
  const parts = await opening;
  void parts.lost.then((how) => ending.reach(new Error(how)));
  say('Preparing schema and contracts …');

  const place = await chooseListeningPlace(settings, parts, program.isLan);
  const note = placeNote(place);
  if (note) say(note);
  const { shown, openService, markStarted } = await answer(settings, life, place, parts);
  await warnOfReadableKey(settings, say);
  await writeRunning(settings.dataDir, runningAt(place));
  await closers.opened(() => removeRunning(settings.dataDir));
  const tryOut = (await program.addTryOut?.(await openService(), parts, closers, ending.signal)) ?? null;
  await markStarted();
  say(startScreen(settings, house, place, shown, tryOut, (performance.now() - began) / 1000));
}

async function warnOfReadableKey(settings: Settings, say: (line: string) => void): Promise<void> {
  const source = masterKeySource(settings);
  if (source.kind === 'file' && (await othersMayRead(source.path))) {
    say(`Warning: other users of this machine may read the master key ${source.path}. Run: chmod 600 ${source.path}`);
  }
}
