import type { Json } from '../../../base/json.ts';
import { type CallField, fieldsOf, kindOf } from './fields.ts';
import { sentence } from './prose.ts';
import { type Call, type Group, groupsOf } from './read-document.ts';

/** A call with its fields and their anchors. */
export type DocumentedCall = {
  readonly call: Call;
  /** Of the path, the query and the headers. */
  readonly inputs: readonly CallField[];
  readonly body: readonly CallField[];
  readonly response: readonly CallField[];
};

export type DocumentedGroup = Omit<Group, 'calls'> & { readonly calls: readonly DocumentedCall[] };

export function documentedGroups(document: Json): DocumentedGroup[] {
  return groupsOf(document).map((group) => ({
    ...group,
    calls: group.calls.map((call) => documented(document, call)),
  }));
}

function documented(document: Json, call: Call): DocumentedCall {
  const { operationId, inputs, body, response } = call;
  const headers = Object.entries(response?.headers ?? {}).map(([name, { description }]) => ({
    id: `${operationId}.response.${name}`,
    name,
    kind: 'header',
    meaning: sentence(description),
    inner: [],
  }));
  return {
    call,
    inputs: inputs.map(({ name, in: place, required = false, description, schema }) => ({
      id: `${operationId}.${place}.${name}`,
      name,
      kind: `${kindOf(schema)}, in the ${place}`,
      required,
      meaning: sentence(description),
      inner: [],
    })),
    body: body ? fieldsOf(document, body.schema, `${operationId}.body`, true) : [],
    response: response ? [...fieldsOf(document, response.schema, `${operationId}.response`, false), ...headers] : [],
  };
}
