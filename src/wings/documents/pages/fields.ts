import { html } from 'hono/html';
import type { Json } from '../../../base/json.ts';
import type { Markup } from '../../../web/layout.ts';
import { prose, sentence } from './prose.ts';
import { nameOf, resolve, type Schema } from './read-document.ts';

/** A field of a body, an response, or an input beside the body. */
export type CallField = {
  /** Its anchor on the page: `createRequest.body.tokens`. */
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  /** Undefined where it makes no difference to the reader: in responses. */
  readonly required?: boolean;
  readonly meaning: string;
  readonly inner: readonly CallField[];
};

/** No schema of ours is deeper. The limit keeps one that refers to itself from being written for ever. */
const DEEPEST = 5;

/** The fields of an object, or of the objects in an array. `at`: what their anchors begin with. `asked`: say which are required. */
export function fieldsOf(document: Json, described: Schema, at: string, asked: boolean, depth = 0): CallField[] {
  const { properties = {}, required = [] } = objectIn(document, described);
  return Object.entries(properties).map(([name, property]) => {
    const resolved = resolve<Schema>(document, property);
    const id = `${at}.${name}`;
    return {
      id,
      name,
      kind: kindOf(property),
      ...(asked && { required: required.includes(name) }),
      meaning: sentence(property.description ?? resolved.description ?? oneOf(resolved)),
      inner: depth < DEEPEST ? fieldsOf(document, property, id, asked, depth + 1) : [],
    };
  });
}

function objectIn(document: Json, described: Schema): Schema {
  const schema = resolve<Schema>(document, described);
  if (schema.items) return objectIn(document, schema.items);
  return schema.anyOf?.map((part) => objectIn(document, part)).find(({ properties }) => properties) ?? schema;
}

function oneOf(schema: Schema): string {
  const values = schema.enum ?? schema.items?.enum;
  return values ? `One of ${values.map((value) => `\`${value}\``).join(', ')}` : '';
}

export function kindOf(schema: Schema): string {
  if (schema.anyOf) return schema.anyOf.map(kindOf).join(' or ');
  if (schema.const !== undefined) return `"${schema.const}"`;
  return nameOf(schema) ?? (schema.items ? `array of ${kindOf(schema.items)}` : (schema.type ?? 'anything'));
}

/** All of them, those inside of others too. */
export function flatten(fields: readonly CallField[]): CallField[] {
  return fields.flatMap((field) => [field, ...flatten(field.inner)]);
}

export function fieldList(fields: readonly CallField[]): Markup {
  return html`<dl class="fields">${fields.map(
    ({ id, name, kind, required, meaning, inner }) =>
      html`<div id="${id}"><dt><code>${name}</code> <span>${kind}</span>${
        required && html` <b>required</b>`
      }</dt><dd>${meaning && html`<p>${prose(meaning)}</p>`}${
        inner.length > 0 &&
        html`<details><summary>Fields of <code>${name}</code></summary>${fieldList(inner)}</details>`
      }</dd></div>`,
  )}</dl>`;
}
