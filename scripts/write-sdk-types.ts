/**
 * Writes the types of sdk/src: those of the API (api.generated.ts) and of the browser script (script.generated.ts). Named schemas
 * and problem codes come from the API's description (docs/openapi.json); the codes after which nothing was decided come from the
 * registry of problems. `--check` compares instead, and fails if a file is out of date.
 *
 * It is our own code, because openapi-typescript needs the compiler API of TypeScript 5, and this service uses TypeScript 7.
 */
import { readFile } from 'node:fs/promises';
import { codesOfNothingDecided, nameOf, readDescription, type Schema, writeOrCheck } from './api-description.ts';

const PRIMITIVES: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
};

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

function declaration(name: string, schema: Schema): string {
  return `${comment(schema, '')}export type ${name} = ${typeOf(schema, '')};\n`;
}

function typeOf(schema: Schema, indent: string): string {
  if (schema.$ref) return nameOf(schema.$ref);
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return joined(choices, ' | ', indent);
  if (schema.allOf) return joined(schema.allOf, ' & ', indent);
  if (schema.prefixItems) return `[${schema.prefixItems.map((item) => typeOf(item, indent)).join(', ')}]`;
  const types = [schema.type ?? 'unknown'].flat();
  return types.map((type) => typeNamed(type, schema, indent)).join(' | ');
}

function typeNamed(type: string, schema: Schema, indent: string): string {
  if (type === 'array') return `readonly (${schema.items ? typeOf(schema.items, indent) : 'unknown'})[]`;
  if (type === 'object') return objectType(schema, indent);
  return PRIMITIVES[type] ?? 'unknown';
}

function objectType({ properties = {}, required = [], additionalProperties }: Schema, indent: string): string {
  const inner = `${indent}  `;
  const fields = Object.entries(properties).map(([name, schema]) => {
    const mark = required.includes(name) ? '' : '?';
    return `${comment(schema, inner)}${inner}readonly ${name}${mark}: ${typeOf(schema, inner)};\n`;
  });
  const more = additionalProperties === true ? ' & Readonly<Record<string, unknown>>' : '';
  if (fields.length > 0) return `{\n${fields.join('')}${indent}}${more}`;
  const values = typeof additionalProperties === 'object' ? typeOf(additionalProperties, indent) : 'unknown';
  return `Readonly<Record<string, ${values}>>`;
}

function joined(schemas: readonly Schema[], separator: string, indent: string): string {
  return schemas.map((schema) => typeOf(schema, indent)).join(separator);
}

function comment({ description: text }: Schema, indent: string): string {
  return text ? `${indent}/** ${text.replaceAll('*/', '*\\/')} */\n` : '';
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
