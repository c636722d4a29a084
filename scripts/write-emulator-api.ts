/**
 * Writes what comes from the table of the emulator's controls (local/emulator/control): their description (docs/emulator-openapi.json), and
 * the types and calls of the TypeScript client. `--check` compares instead, and fails if a file is out of date.
 */
import type { Control } from '../local/emulator/control/control.ts';
import { CONTROLS } from '../local/emulator/control/controls.ts';
import { describeControls } from '../local/emulator/control/description.ts';
import { type Schema, writeOrCheck } from './api-description.ts';
import { declaration } from './typescript-types.ts';

const HEAD = '// Written by scripts/write-emulator-api.ts from the controls of the emulator: run npm run generate.\n';

const description = describeControls() as { components: { schemas: Readonly<Record<string, Schema>> } };
await writeOrCheck('docs/emulator-openapi.json', `${JSON.stringify(description, null, 2)}\n`);
await writeOrCheck('sdk/emulator/src/controls.generated.ts', typescript());

function typescript(): string {
  const { schemas } = description.components;
  const types = Object.entries(schemas).map(([name, schema]) => `${declaration(name, schema)}\n`);
  const calls = CONTROLS.map(({ operationId, method, path }) => `  ${operationId}: ['${method}', '${path}'],\n`);
  const inputs = CONTROLS.map((control) => `  readonly ${control.operationId}: ${inputOf(control)};\n`);
  const results = CONTROLS.map(
    ({ operationId, result }) =>
      `  readonly ${operationId}: ${result ? `${capitalized(operationId)}Result` : 'undefined'};\n`,
  );
  return [
    `${HEAD}\n`,
    ...types,
    `/** Method and path of each operation. */\nexport const OPERATIONS = {\n${calls.join('')}} as const;\n\n`,
    `/** What each operation takes, the parameters of its path included. */\nexport type Inputs = {\n${inputs.join('')}};\n\n`,
    `/** What each operation answers. */\nexport type Results = {\n${results.join('')}};\n`,
  ].join('');
}

function inputOf({ operationId, path, input }: Control): string {
  const parameters = parametersOf(path).map((name) => `readonly ${name}: string`);
  const parts = [
    ...(parameters.length > 0 ? [`{ ${parameters.join('; ')} }`] : []),
    ...(input ? [`${capitalized(operationId)}Input`] : []),
  ];
  return parts.join(' & ') || 'Readonly<Record<string, never>>';
}

function parametersOf(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
}

function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
