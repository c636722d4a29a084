import type { Logger } from 'pino';
import type { Settings } from '../config/settings.ts';
import { extensionPoint, type House, type Load } from '../service/house.ts';
import type { AnswerCalls } from './answering.ts';
import type { Program } from './program.ts';

/** Several processes that answer together. `work`: one of them. */
type Workers = {
  readonly answerByWorkers: AnswerCalls;
  work(settings: Settings, log: Logger, program: Program, house: House): Promise<void>;
};

export const WORKERS = extensionPoint<Load<Workers>>('answers in several processes');
