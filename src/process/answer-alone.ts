import { markStarted } from '../settlement/readiness.ts';
import type { AnswerCalls } from './answering.ts';
import { drain } from './drain.ts';
import { serve, shownOf } from './serve.ts';

/** One process is the whole service. */
export const answerAlone: AnswerCalls = async (settings, life, place, { chain }) => {
  const service = await serve(settings, life, place, chain);
  return {
    shown: await shownOf(service),
    openService: async () => service,
    async markStarted() {
      await life.closers.opened(() => drain(service, life.ending, life.say));
      markStarted(service);
    },
  };
};
