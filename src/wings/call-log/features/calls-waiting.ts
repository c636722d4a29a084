import { oncePerService } from '../../../service/once-per-service.ts';
import { openCallBuffer } from '../store/call-buffer.ts';

/** The calls of this process that wait to be written. */
export const callsWaiting = oncePerService(() => openCallBuffer());
