import { nameOf, type Schema } from './api-description.ts';

const PRIMITIVES: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
};

/** A named type of TypeScript, as a schema has it. */
export function declaration(name: string, schema: Schema): string {
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
