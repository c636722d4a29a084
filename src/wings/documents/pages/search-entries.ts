import { PROBLEMS } from '../../../base/problems.ts';
import type { Entry } from '../../../web/assets/docs-find.js';
import { eventPath, groupPath, problemPath } from './docs-paths.ts';
import type { DocumentedCall, DocumentedGroup } from './documented-calls.ts';
import { type CallField, flatten } from './fields.ts';
import type { Guide } from './guides.ts';

/** All that the search finds, in the order of the documentation. */
export function searchEntries(
  guides: readonly Guide[],
  groups: readonly DocumentedGroup[],
  events: readonly string[],
): Entry[] {
  return [
    ...guides.flatMap(guideEntries),
    ...groups.flatMap((group) => group.calls.map((call) => callEntry(group, call))),
    ...Object.entries(PROBLEMS).map(
      ([code, { status, title }]): Entry => ({
        kind: 'Problem',
        title: code,
        where: `${status}`,
        path: problemPath(code),
        text: `${title}.`,
      }),
    ),
    ...events.map((type): Entry => ({ kind: 'Event', title: type, where: 'Event', path: eventPath(type), text: '' })),
    ...fieldEntries(groups),
  ];
}

function guideEntries({ title, path, sections, reader }: Guide): Entry[] {
  return sections.map(({ id, heading, text }) => ({
    kind: reader === 'operator' ? 'Operate' : 'Guide',
    title: heading,
    where: id === '' ? '' : title,
    path: id === '' ? path : `${path}#${id}`,
    text: text.trim(),
  }));
}

function callEntry(group: DocumentedGroup, { call }: DocumentedCall): Entry {
  const { operationId, summary, method, path, description = '' } = call;
  return {
    kind: 'Call',
    title: summary,
    where: method === '' ? 'Webhook' : `${method} ${path}`,
    path: `${groupPath(group)}#${operationId}`,
    text: `${operationId}. ${description.replaceAll('`', '')}`.trim(),
  };
}

/** A field that several calls have, with the same meaning, is found once. */
function fieldEntries(groups: readonly DocumentedGroup[]): Entry[] {
  const found = new Map<string, Entry>();
  for (const group of groups) {
    for (const { call, inputs, body, response } of group.calls) {
      const add = ({ id, name, meaning }: CallField): void => {
        const key = `${name}: ${meaning}`;
        if (found.has(key)) return;
        const path = `${groupPath(group)}#${id}`;
        found.set(key, { kind: 'Field', title: name, where: call.summary, path, text: meaning.replaceAll('`', '') });
      };
      [...inputs, ...body, ...response].flatMap((field) => flatten([field])).forEach(add);
    }
  }
  return [...found.values()];
}
