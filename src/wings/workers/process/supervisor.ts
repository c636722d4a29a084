import type { Settings } from '../../../config/settings.ts';
import { TOPICS } from '../../../db/announcements.ts';
import { readCursor } from '../../../ledger/blocks.ts';
import type { AnswerCalls } from '../../../process/answering.ts';
import { announceDrain } from '../../../process/drain.ts';
import type { Lifetime } from '../../../process/lifetime.ts';
import type { ListeningPlace } from '../../../process/listening-place.ts';
import type { Service } from '../../../service/service.ts';
import { openCrew } from './crew.ts';

/**
 * Workers answer. This process holds the data folder and what is embedded, accepts connections for the workers, and replaces
 * workers that die. If it dies, its workers end at once, because their channel to it closes.
 */
export const answerByWorkers: AnswerCalls = async (settings, life, place, { chain }) => {
  const { log, closers, ending, say } = life;
  const { workers, relayers = 1 } = settings;
  if (!place.embedded.chain && relayers < workers) {
    say(
      `RELAYERS is ${relayers}, so ${workers} workers wait for each other when many pay. See docs/operate/scaling.md.`,
    );
  }
  const crew = openCrew({ size: workers, place, log, onSent: () => chain?.onSent(), onEnd: ending.reach });
  await closers.opened(() => crew.stop(false));
  const shown = await crew.open();
  let beside: Promise<Service> | null = null;
  const openBeside = () => {
    beside ??= serviceBeside(settings, life, place);
    return beside;
  };
  if (chain?.followedBy) {
    const { db } = await openBeside();
    chain.followedBy(async () => (await readCursor(db))?.number ?? null);
  }
  return {
    shown,
    openService: openBeside,
    async markStarted() {
      await closers.opened(() => {
        announceDrain(settings, ending, say);
        return crew.stop(ending.isTermination);
      });
      crew.markStarted();
    },
  };
};

/** A service for this process, as a command has one: without loops. What it leaves to do is announced to the workers at once. */
async function serviceBeside(
  settings: Settings,
  { log, house, closers }: Lifetime,
  place: ListeningPlace,
): Promise<Service> {
  // Loaded here, because a supervisor without embedded parts needs none of it.
  const { openService } = await import('../../../process/open-service.ts');
  const { service, drained, close } = await openService(settings, { ...place, house }, log, null);
  await closers.opened(close);
  await closers.opened(drained);
  for (const topic of TOPICS) {
    service.db.onAnnounced(topic, () => void service.db.notifyOthers([topic]).catch(() => {}));
  }
  return service;
}
