/**
 * Writes what comes from the table of the emulator's controls (local/emulator/control): their description (docs/emulator-openapi.json), the
 * types and calls of the TypeScript client, and the calls of the C# one. `--check` compares instead, and fails if a file is out of date.
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
await writeOrCheck('sdk/csharp/Testing/Generated/Operations.cs', csharpOperations());
await writeOrCheck('sdk/csharp/Testing/Generated/ControlTypes.cs', csharpTypes());

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

function csharpOperations(): string {
  const calls = CONTROLS.map(
    ({ operationId, method, path, says }) =>
      `${summary(says, 8)}        internal static readonly Operation ${capitalized(operationId)} = new Operation("${method}", "${path}");\n`,
  );
  return `${HEAD}namespace Quarters.Testing\n{\n    internal static class Operations\n    {\n${calls.join('\n')}    }\n}\n`;
}

function csharpTypes(): string {
  const classes = Object.entries(description.components.schemas).flatMap(([name, schema]) => {
    const [, operation, part] = /^(\w+)(Input|Result)$/.exec(name) ?? [];
    if (!operation) return [];
    const about = `What \`${operation.charAt(0).toLowerCase()}${operation.slice(1)}\` ${part === 'Input' ? 'takes' : 'answers'}`;
    const fields = Object.entries(schema.properties ?? {}).map(([field, of]) => ({
      field,
      of,
      ...csharpField(field, of, schema),
    }));
    const isInput = part === 'Input';
    const properties = fields.map(
      ({ field, of, type }) =>
        `${summary(of.description ?? `The field \`${field}\`.`, 8)}        public ${type} ${capitalized(field)} { get; ${isInput ? 'set; ' : ''}}\n`,
    );
    const members = isInput ? toJson(fields.map(({ field }) => field)) : constructorOf(name, fields);
    return `${summary(about, 4)}    public class ${name}\n    {\n${[...properties, members].join('\n')}    }\n`;
  });
  return `${HEAD}using System;\nusing System.Collections.Generic;\nusing Newtonsoft.Json.Linq;\n\nnamespace Quarters.Testing\n{\n${classes.join('\n')}}\n`;
}

/** What has no type of its own is a JToken. */
function csharpField(field: string, of: Schema, { required = [] }: Schema): { type: string; from: string } {
  const types = [of.type ?? (of.enum ? 'string' : 'any')].flat();
  const [type] = types.filter((one) => one !== 'null');
  const isOptional = !required.includes(field) || types.includes('null');
  const mark = isOptional ? '?' : '';
  const token = `json["${field}"]`;
  if (types.filter((one) => one !== 'null').length > 1) return { type: 'JToken', from: token };
  if (type === 'string' && 'format' in of)
    return { type: `DateTimeOffset${mark}`, from: `Json.Time${isOptional ? 'OrNull' : ''}(${token})` };
  if (type === 'string') return { type: 'string', from: `(string)${token}` };
  if (type === 'integer') return { type: `long${mark}`, from: `(long${mark})${token}` };
  if (type === 'number') return { type: `double${mark}`, from: `(double${mark})${token}` };
  if (type === 'boolean') return { type: `bool${mark}`, from: `(bool${mark})${token}` };
  if (type === 'array' && of.items && of.items.type === 'string')
    return { type: 'IReadOnlyList<string>', from: `Json.Texts(${token})` };
  return { type: 'JToken', from: token };
}

function constructorOf(name: string, fields: readonly { field: string; from: string }[]): string {
  const lines = fields.map(({ field, from }) => `            ${capitalized(field)} = ${from};\n`);
  return `        internal ${name}(JObject json)\n        {\n${lines.join('')}        }\n`;
}

function toJson(fields: readonly string[]): string {
  const lines = fields.map((field) => `            Json.Add(json, "${field}", ${capitalized(field)});\n`);
  return `        internal JObject ToJson()\n        {\n            var json = new JObject();\n${lines.join('')}            return json;\n        }\n`;
}

function summary(text: string, indent: number): string {
  const escaped = text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(/`([^`]+)`/g, '<c>$1</c>');
  return `${' '.repeat(indent)}/// <summary>${escaped}${/[.!?]$/.test(text) ? '' : '.'}</summary>\n`;
}

function parametersOf(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
}

function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
