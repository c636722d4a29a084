/**
 * Writes the types of sdk/src: those of the API (api.generated.ts) and of the browser script (script.generated.ts). Named schemas
 * and problem codes come from the API's description (docs/openapi.json); the codes after which nothing was decided come from the
 * registry of problems. `--check` compares instead, and fails if a file is out of date.
 *
 * It is our own code, because openapi-typescript needs the compiler API of TypeScript 5, and this service uses TypeScript 7.
 */
import { readFile } from 'node:fs/promises';
import { codesOfNothingDecided, readDescription, type Schema, writeOrCheck } from './api-description.ts';
import { declaration } from './typescript-types.ts';

const description = await readDescription();
const written = [
  '// Written by scripts/write-sdk-types.ts from docs/openapi.json: run npm run generate.\n',
  ...Object.entries(description.components.schemas).map(([name, schema]) => declaration(name, schema)),
  `/** What \`code\` of a refused call can be, as far as this version knows. */\nexport type ProblemCode =\n${problemCodes()
    .map((code) => `  | ${JSON.stringify(code)}`)
    .join('\n')};\n`,
  `/** Codes of faults (5xx) after which a call has certainly moved no quarters. */\nexport const NOTHING_DECIDED: readonly string[] = [\n${codesOfNothingDecided()
    .map((code) => `  '${code}',\n`)
    .join('')}];\n`,
].join('\n');

await writeOrCheck('sdk/src/api.generated.ts', written);
await writeOrCheck('sdk/src/script.generated.ts', await scriptTypes());

/** The types that the service serves beside the browser script, as a module that is compiled. */
async function scriptTypes(): Promise<string> {
  const served = await readFile(new URL('../src/web/assets/quarters.d.ts', import.meta.url), 'utf8');
  const module = served
    .replace(/^export as namespace .*\n\n/m, '')
    .replaceAll(/^export (?=function|class)/gm, 'export declare ');
  return `// Written by scripts/write-sdk-types.ts from src/web/assets/quarters.d.ts: run npm run generate.\n\n${module}`;
}

/** Collects the codes from every response schema that lists them. */
function problemCodes(): string[] {
  const codes = new Set<string>();
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { code } = { ...(value as { properties?: { code?: Schema } }).properties };
    for (const word of code?.enum ?? []) codes.add(String(word));
    for (const part of Object.values(value)) look(part);
  };
  look(description);
  return [...codes].sort();
}
