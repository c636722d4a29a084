import { html } from 'hono/html';
import type { Problem } from '../../../../base/problems.ts';
import { MAX_ADDRESSES } from '../../../../features/apps/app-details.ts';
import { MAX_ADDRESS_CHARACTERS } from '../../../../identity/app-addresses.ts';
import { MAX_NAME_CHARACTERS } from '../../../../identity/app-name.ts';
import type { AppDetails } from '../../../../identity/apps.ts';
import { area, field } from '../../../../web/fields.ts';
import type { Markup } from '../../../../web/layout.ts';
import { parameter } from '../../../../web/request-parameters.ts';

/** Faults by field of {@link AppDetails}. */
export type DetailErrors = { readonly [K in keyof AppDetails]?: string };

export const NO_DETAILS: AppDetails = {
  name: '',
  redirectUris: [],
  frameAncestors: [],
  resultOrigins: [],
  topUpUrl: null,
};

/** The fields of the form; lists without surrounding blanks, empty lines and duplicates. */
export function readDetails(body: unknown): AppDetails {
  return {
    name: parameter(body, 'name') ?? '',
    redirectUris: lines(parameter(body, 'redirect_uris')),
    frameAncestors: lines(parameter(body, 'frame_ancestors')),
    resultOrigins: lines(parameter(body, 'result_origins')),
    topUpUrl: parameter(body, 'top_up_url') ?? null,
  };
}

function lines(text = ''): string[] {
  const trimmed = text.split(/\r\n|\r|\n/).map((line) => line.trim());
  return [...new Set(trimmed.filter((line) => line !== ''))];
}

/** The faults as sentences, by field. */
export function detailErrors({ faults }: Problem, details: AppDetails): DetailErrors {
  const sentences: Partial<Record<keyof AppDetails, string>> = {};
  for (const { pointer, detail } of faults) {
    const [, name, index] = pointer.split('/') as [string, keyof AppDetails, string?];
    const what = index === undefined ? 'This' : `“${shortened(details[name]?.[Number(index)] ?? '')}”`;
    sentences[name] = [sentences[name], `${what} ${detail}.`].filter(Boolean).join(' ');
  }
  return sentences;
}

function shortened(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

/** The fields a developer may change. */
export function detailFields(details: AppDetails, errors: DetailErrors): Markup {
  return html`${field({
    name: 'name',
    label: 'Name',
    value: details.name,
    maxlength: MAX_NAME_CHARACTERS,
    hint: 'Players see it when your game asks for quarters.',
    error: errors.name,
  })}
${area({
  name: 'redirect_uris',
  label: 'Redirect addresses',
  rows: 3,
  value: details.redirectUris.join('\n'),
  hint: `Where we send players back; must match exactly. One per line, up to ${MAX_ADDRESSES}: https, your own scheme such as com.example.game://back, or http on localhost.`,
  error: errors.redirectUris,
})}
${area({
  name: 'frame_ancestors',
  label: 'Sites that may frame our pages',
  rows: 2,
  value: details.frameAncestors.join('\n'),
  hint: 'One per line, such as https://game.example. Our pages open in a frame on these sites only. Include portals that embed your game.',
  error: errors.frameAncestors,
})}
${area({
  name: 'result_origins',
  label: 'Origins that get results',
  rows: 2,
  value: details.resultOrigins.join('\n'),
  hint: 'Who receives results as messages, one per line. Leave empty to use the sites above. For a packaged app, enter app:, capacitor: or file:.',
  error: errors.resultOrigins,
})}
${field({
  name: 'top_up_url',
  label: 'Top-up page (optional)',
  type: 'url',
  optional: true,
  value: details.topUpUrl ?? '',
  maxlength: MAX_ADDRESS_CHARACTERS,
  hint: 'Where players buy quarters, such as https://game.example/shop. We link to it if a player has too few quarters for a payment.',
  error: errors.topUpUrl,
})}`;
}
