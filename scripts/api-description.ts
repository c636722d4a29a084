/** What the writers of the client libraries' types share: the API's description (docs/openapi.json), and `--check`. */
import { readFile, writeFile } from 'node:fs/promises';
import { PROBLEMS } from '../src/base/problems.ts';

export type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema | false;
  readonly prefixItems?: readonly Schema[];
  readonly additionalProperties?: Schema | boolean;
  readonly description?: string;
  readonly examples?: readonly unknown[];
};

type Operation = {
  readonly operationId?: string;
  readonly summary?: string;
  readonly requestBody?: unknown;
  readonly responses?: unknown;
};

type Description = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

export async function readDescription(): Promise<Description> {
  return JSON.parse(await readFile(new URL('../docs/openapi.json', import.meta.url), 'utf8')) as Description;
}

/** Codes of faults (5xx) after which a call has certainly moved no quarters. */
export function codesOfNothingDecided(): string[] {
  return Object.entries(PROBLEMS)
    .filter(([, problem]) => 'nothingDecided' in problem)
    .map(([code]) => code);
}

/** The name of the schema that a `$ref` leads to. */
export function nameOf(ref: string): string {
  return ref.split('/').at(-1)!;
}

/** Writes a generated file of the repository. With `--check` it compares instead, and the script fails if the file is out of date. */
export async function writeOrCheck(path: string, written: string): Promise<void> {
  const url = new URL(`../${path}`, import.meta.url);
  if (!process.argv.includes('--check')) return writeFile(url, written);
  if ((await readFile(url, 'utf8').catch(() => '')) === written) return;
  console.error(`${path} is out of date. Run npm run generate.`);
  process.exitCode = 1;
}
