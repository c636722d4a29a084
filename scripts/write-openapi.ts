/**
 * Writes docs/openapi.json, as an installation at https://quarters.example serves it at /openapi.json. `--check` writes nothing
 * and exits with 1 if the file differs.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { countAnswers } from '../src/base/answer-counts.ts';
import { readSettings } from '../src/config/read-settings.ts';
import { createApiSite } from '../src/process/site.ts';
import { houseOf } from '../src/service/house.ts';
import type { Service } from '../src/service/service.ts';

const target = new URL('../docs/openapi.json', import.meta.url);

// Routes only pass the service to their handlers. No other handler is called here.
const app = await createApiSite({
  house: houseOf([]),
  settings: readSettings({ ACCESS_LOG: 'off' }),
  publicUrl: 'https://quarters.example',
  answers: countAnswers(),
  rateLimits: { credentials: null, addresses: null },
} as Service);
const text = `${JSON.stringify((await app.inject('/openapi.json')).json(), null, 2)}\n`;

if (!process.argv.includes('--check')) {
  await writeFile(target, text);
} else if (text !== (await readFile(target, 'utf8').catch(() => ''))) {
  console.error('docs/openapi.json is out of date. Run npm run generate.');
  process.exitCode = 1;
}
