import type { Logger } from 'pino';
import type { Settings } from '../config/settings.ts';
import { extensionPoint, type House, type Load } from '../service/house.ts';
import type { AnswerCalls } from './answering.ts';
import type { Program } from './program.ts';

/** Several processes that answer together: a supervisor, and what each of them does. */
type Workers = {
  readonly loadSupervisor: Load<AnswerCalls>;
  readonly loadWorker: Load<(settings: Settings, log: Logger, program: Program, house: House) => Promise<void>>;
};

export const WORKERS = extensionPoint<Workers>('answers in several processes');
