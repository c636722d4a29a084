/**
 * Writes the description of the emulator's controls (docs/emulator-openapi.json) from their table (local/emulator/control). `--check`
 * compares instead, and fails if it is out of date.
 */
import { describeControls } from '../local/emulator/control/description.ts';
import { writeOrCheck } from './api-description.ts';

await writeOrCheck('docs/emulator-openapi.json', `${JSON.stringify(describeControls(), null, 2)}\n`);
