/**
 * Writes the types of the C# library from the API's description (docs/openapi.json), and its exceptions from the registry of
 * problems. It writes Unity's `.meta` files too. `--check` compares instead, and fails if a file is out of date.
 *
 * Each type reads its own JSON, field by field. A serializer would do so by reflection, which Unity's stripping of unused code breaks.
 */
import { PROBLEMS } from '../src/base/problems.ts';
import { codesOfNothingDecided, nameOf, readDescription, type Schema, writeOrCheck } from './api-description.ts';
import { MEANINGS } from './csharp-meanings.ts';
import { writeMetas } from './unity-metas.ts';

/** Types without a name in the description, by their place. */
const NAMES: Readonly<Record<string, string>> = {
  'Problem.errors': 'InputFault',
  'RequestState.status': 'RequestStatus',
  'AddedWebhookEndpoint.disabledReason': 'EndpointDisabledReason',
};

/** The API writes balances as text, because ether does not fit a number. Quarters do. */
const AMOUNTS_AS_TEXT: readonly string[] = ['Balance.quarters', 'Reward.rewardAmount'];

/**
 * Fields of answers that are newer than the first release with this library. A service may be older than the game, so an answer may lack
 * them. An answer that lacks any other field is not the service's, and the library does not take it for one.
 */
const ADDED_LATER: readonly string[] = [];

/** What moments are that the description does not explain: a field that is a reference has no text of its own. */
const MOMENTS: Readonly<Record<string, string>> = { created: 'When it was made.' };

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;

/** The calls that the library has. Only their types are written. */
const CALLS: readonly string[] = [
  'getMe',
  'listAccounts',
  'getBalance',
  'getRewards',
  'createGuest',
  'createGuestTokens',
  'createRequest',
  'listRequests',
  'getRequest',
  'autoApproveRequest',
  'cancelRequest',
  'refundRequest',
  'transfer',
  'transferToMany',
  'listTransfers',
  'listEvents',
  'redeliverEvent',
  'addWebhookEndpoint',
];

type Field = { readonly name: string; readonly schema: Schema; readonly isRequired: boolean };
type Read = { readonly type: string; readonly from: string };

const { paths, components } = await readDescription();
const operations = Object.values(paths).flatMap((path) =>
  Object.values(path).filter(({ operationId = '' }) => CALLS.includes(operationId)),
);
if (operations.length < CALLS.length) throw new Error('A call of the C# library is not in the description.');
const inputs = namesIn(operations.map(({ requestBody }) => requestBody));
const outputs = namesIn(operations.map(({ responses }) => responses));
const classes = new Map<string, string>();
const constants = new Map<string, { readonly name: string; readonly values: readonly string[] }>();
for (const [name, schema] of Object.entries(components.schemas)) {
  const isList = 'next' in { ...schema.properties };
  // A moment is a DateTimeOffset, and a list a Page<T>.
  if (name !== 'Timestamp' && !isList && (inputs.has(name) || outputs.has(name))) addClass(name, schema);
}

const FOLDER = 'sdk/csharp/Runtime/Generated';
const HEAD = '// Written by scripts/write-csharp-types.ts: run npm run generate.\n';
await writeOrCheck(
  `${FOLDER}/ApiTypes.cs`,
  `${HEAD}using System;\nusing System.Collections.Generic;\nusing Newtonsoft.Json.Linq;\n\nnamespace Quarters\n{\n${[
    ...classes.values(),
    ...[...constants.values()].map(({ name, values }) => constantsClass(name, values)),
  ].join('\n')}}\n`,
);
await writeOrCheck(`${FOLDER}/Problems.cs`, `${HEAD}using System;\n\nnamespace Quarters\n{\n${problems()}}\n`);
await writeMetas();

/** The schemas that are named there, and those that they hold. */
function namesIn(places: unknown): ReadonlySet<string> {
  const found = new Set<string>();
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, part] of Object.entries(value)) {
      const name = key === '$ref' ? nameOf(part) : '';
      if (key !== '$ref') look(part);
      else if (name in components.schemas && !found.has(name)) look(components.schemas[found.add(name) && name]);
    }
  };
  look(places);
  return found;
}

function addClass(name: string, schema: Schema): void {
  const { properties = {}, required = [], additionalProperties } = schema;
  // Reserved first, so that a type comes before the types of its fields.
  classes.set(name, '');
  const fields = Object.entries(properties)
    .map(([field, schema]) => {
      const isRequired = required.includes(field) && !ADDED_LATER.includes(`${name}.${field}`);
      return { name: field, schema, isRequired };
    })
    // "null" alone says nothing.
    .filter(({ schema }) => schema.type !== 'null');
  const body = inputs.has(name) ? inputBody(name, fields) : outputBody(name, fields, additionalProperties === true);
  classes.set(
    name,
    `${comment(aboutType(name, schema), '    ')}    public sealed class ${name}\n    {\n${body}    }\n`,
  );
}

/** An input has no description, but its call has a summary. A type within another is named after its field. */
function aboutType(name: string, { description = '' }: Schema): string {
  if (description !== '' && description !== 'a JSON object') return description;
  const call = operations.find(({ requestBody }) => namesIn(requestBody).values().next().value === name);
  if (call) return `Input of the call "${call.summary}".`;
  for (const [owner, { properties = {} }] of Object.entries(components.schemas))
    for (const [field, { items }] of Object.entries(properties))
      if (nameOf((items as Schema | undefined)?.$ref ?? '') === name) return itemOf(owner, field);
  throw new Error(`${name}: the description does not say what it is`);
}

function itemOf(owner: string, field: string): string {
  return `An item of <see cref="${owner}.${pascal(field)}"/>.`;
}

function outputBody(name: string, fields: readonly Field[], isOpen: boolean): string {
  const lines = ['        /// <summary>Reads it from the JSON of an answer.</summary>'];
  lines.push('        /// <exception cref="FormatException">A field is missing, or of another type.</exception>');
  lines.push(`        public ${name}(JObject json)`, '        {');
  for (const field of fields) lines.push(`            ${pascal(field.name)} = ${readingOf(name, field).from};`);
  if (isOpen) lines.push('            Fields = json;');
  lines.push('        }', '');
  const texts = fields.map((field) => {
    const about = comment(aboutOf(name, field), '        ');
    return `${about}        public ${readingOf(name, field).type} ${pascal(field.name)} { get; }\n`;
  });
  if (isOpen) texts.push(`${comment('All fields, as they came.', '        ')}        public JObject Fields { get; }\n`);
  return `${lines.join('\n')}\n${texts.join('\n')}`;
}

function inputBody(name: string, fields: readonly Field[]): string {
  const texts = fields.map((field) => {
    const about = comment(aboutOf(name, field), '        ');
    return `${about}        public ${readingOf(name, field).type} ${pascal(field.name)} { get; set; }\n`;
  });
  const lines = [
    '        /// <summary>The JSON of the body. What is null is left out, unless it is required.</summary>',
  ];
  lines.push('        public JObject ToJson()', '        {', '            var json = new JObject();');
  for (const field of fields) {
    const property = pascal(field.name);
    const { type } = readingOf(name, field);
    let value = property;
    if (type.startsWith('IReadOnlyList')) value = `Json.ArrayOf(${property})`;
    const guard = field.isRequired ? '' : `if (${property} != null) `;
    lines.push(`            ${guard}json["${field.name}"] = ${value};`);
  }
  lines.push('            return json;', '        }', '');
  return `${texts.join('\n')}\n${lines.join('\n')}`;
}

/** How a field is read. A field that may be absent or null is null. */
function readingOf(owner: string, { name, schema, isRequired }: Field): Read {
  const choices = schema.anyOf ?? schema.oneOf;
  const some = choices?.find(({ type }) => type !== 'null') ?? schema;
  const isOptional = !isRequired || choices !== undefined;
  const { type, method, item } = kindOf(owner, name, some);
  // A test event says `true`, and others nothing.
  const isFlag = 'const' in some;
  const isNullable = isOptional && !isFlag && ['long', 'bool', 'DateTimeOffset'].includes(type);
  const from = `Json.${method}${isOptional && !isFlag ? 'OrNull' : ''}(json, "${name}"${item ? `, ${item}` : ''})`;
  return { type: isNullable ? `${type}?` : type, from };
}

function kindOf(owner: string, field: string, schema: Schema): { type: string; method: string; item?: string } {
  const place = `${owner}.${field}`;
  if (schema.$ref && nameOf(schema.$ref) === 'Timestamp') return { type: 'DateTimeOffset', method: 'Moment' };
  if (schema.$ref) return objectKind(nameOf(schema.$ref));
  if (schema.enum) constantsOf(owner, field, schema.enum as string[]);
  switch (schema.type) {
    case 'integer':
      return { type: 'long', method: 'Number' };
    case 'boolean':
      return { type: 'bool', method: 'const' in schema ? 'Flag' : 'Bool' };
    case 'array': {
      const items = schema.items as Schema;
      if (items.enum) constantsOf(owner, field, items.enum as string[]);
      if (items.type === 'string') return { type: 'IReadOnlyList<string>', method: 'Texts' };
      const name = items.$ref ? nameOf(items.$ref) : nested(owner, field, items);
      return { type: `IReadOnlyList<${name}>`, method: 'List', item: `item => new ${name}(item)` };
    }
    case 'object':
      return objectKind(nested(owner, field, schema));
    case 'string':
      if (AMOUNTS_AS_TEXT.includes(place)) return { type: 'long', method: 'NumberInText' };
      if (schema.examples?.some((example) => ISO_TIME.test(String(example))))
        return { type: 'DateTimeOffset', method: 'Time' };
      return { type: 'string', method: 'Text' };
    default:
      throw new Error(`${place}: the writer of C# types does not know ${JSON.stringify(schema)}`);
  }
}

function objectKind(name: string) {
  return { type: name, method: 'Object', item: `item => new ${name}(item)` };
}

function nested(owner: string, field: string, schema: Schema): string {
  const name = NAMES[`${owner}.${field}`] ?? owner + pascal(field);
  if (!classes.has(name)) addClass(name, { description: itemOf(owner, field), ...schema });
  return name;
}

/** Fields with the same values share their constants. */
function constantsOf(owner: string, field: string, values: readonly string[]): string {
  const place = `${owner}.${field}`;
  const found = constants.get(values.join());
  if (found) return found.name;
  const name = NAMES[place] ?? owner + pascal(field);
  constants.set(values.join(), { name, values });
  return name;
}

function constantsClass(name: string, values: readonly string[]): string {
  const lines = values.map((value) => {
    const meaning = MEANINGS[name]?.[value];
    if (!meaning) throw new Error(`scripts/csharp-meanings.ts does not say what ${name} "${value}" means`);
    return `${comment(meaning, '        ')}        public const string ${pascal(value)} = "${value}";\n`;
  });
  const about = comment('Values that this version knows. A later service may send others.', '    ');
  return `${about}    public static class ${name}\n    {\n${lines.join('\n')}    }\n`;
}

function aboutOf(owner: string, { name, schema, isRequired }: Field): string {
  const values = schema.enum ?? (schema.items || undefined)?.enum ?? schema.anyOf?.flatMap((one) => one.enum ?? []);
  const found = values && constants.get(values.join());
  // The list of values is in the constants' class.
  const some = (schema.anyOf ?? schema.oneOf)?.find(({ type }) => type !== 'null') ?? schema;
  const refersTo = some.$ref && (MOMENTS[name] ?? components.schemas[nameOf(some.$ref)]?.description);
  const said = found && schema.enum ? '' : (schema.description ?? some.description ?? refersTo ?? '');
  const isNullable = !isRequired || schema.anyOf !== undefined;
  const isInput = inputs.has(owner);
  const parts = [said, found ? `One of <see cref="${found.name}"/>.` : ''];
  const { type } = readingOf(owner, { name, schema, isRequired });
  if (isNullable && type !== 'bool' && !/\bnull\b/.test(said)) parts.push(isInput ? 'Optional.' : 'May be null.');
  return parts
    .filter((part) => part !== '')
    .map((part, i, all) => (i < all.length - 1 && !/[.]$/.test(part) ? `${part}.` : part))
    .join(' ');
}

function problems(): string {
  const codes = Object.entries(PROBLEMS);
  const constantsText = codes.map(([code, { title }]) => {
    return `${comment(title, '        ')}        public const string ${pascal(code)} = "${code}";\n`;
  });
  const nothing = codesOfNothingDecided().map((code) => `code == ${pascal(code)}`);
  const listed = [
    `${comment('The codes of refusals, as far as this version knows.', '    ')}    public static class ProblemCode\n    {\n${constantsText.join('\n')}`,
    `${comment('Whether a fault (5xx) with this code has certainly moved no quarters.', '        ')}        internal static bool MeansNothingWasDecided(string code)\n        {\n            return ${nothing.join(' || ')};\n        }\n    }\n`,
  ].join('\n');
  // An unknown outcome is never a refusal: the library throws its own OutcomeUnknownException for it.
  const typed = codes.filter(([code]) => code !== 'outcome-unknown');
  const types = typed.map(([code, { title, status }]) => {
    const name = `${pascal(code)}Exception`;
    const about = comment(`${title} (${status} \`${code}\`).`, '    ');
    return `${about}    public sealed class ${name} : ProblemException\n    {\n        internal ${name}(Refusal refusal) : base(refusal) { }\n    }\n`;
  });
  const cases = typed.map(
    ([code]) => `                case ProblemCode.${pascal(code)}: return new ${pascal(code)}Exception(refusal);\n`,
  );
  const factory = `    internal static class Problems\n    {\n        internal static ProblemException ExceptionOf(Refusal refusal)\n        {\n            switch (refusal.Code)\n            {\n${cases.join('')}                default: return new ProblemException(refusal);\n            }\n        }\n    }\n`;
  return [listed, ...types, factory].join('\n');
}

/** `user_id`, `userId`, `user-id` and `request.completed` → `UserId`, `RequestCompleted` */
function pascal(name: string): string {
  return name.replaceAll(/(?:^|[_.-])([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function comment(text: string | undefined, indent: string): string {
  if (!text || text === 'a JSON object') return '';
  const escaped = text
    .replaceAll('&', '&amp;')
    .replaceAll(/<(?!see cref|\/)/g, '&lt;')
    .replaceAll(/`([^`]+)`/g, '<c>$1</c>');
  const sentence = escaped[0]!.toUpperCase() + escaped.slice(1);
  return `${indent}/// <summary>${sentence}${/(\.|\/>)$/.test(sentence) ? '' : '.'}</summary>\n`;
}
