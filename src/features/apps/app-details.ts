import type { AppId } from '../../base/ids.ts';
import { type InputFault, invalidInput, Problem } from '../../base/problems.ts';
import { canonicalOrigin, canonicalRedirectUri } from '../../base/redirect-uri.ts';
import {
  frameAncestorFault,
  redirectUriFault,
  resultOriginFault,
  topUpUrlFault,
} from '../../identity/app-addresses.ts';
import { appNameFault, looksLike } from '../../identity/app-name.ts';
import { type Picture, readPicture } from '../../identity/app-pictures.ts';
import { type AppDetails, listVerifiedNames } from '../../identity/apps.ts';
import type { Service } from '../../service/service.ts';

export const MAX_ADDRESSES = 20;

/**
 * Details of an app, made ready to be stored: trimmed, addresses in their canonical form, no duplicates. Throws
 * `invalid-input` with every fault at once; their pointers are `/name`, `/redirectUris/0`, … `known`: the name that the app has. It may keep
 * it, if it is from before a rule.
 */
export function checkedDetails(
  { settings, publicUrl, development }: Pick<Service, 'settings' | 'publicUrl' | 'development'>,
  input: AppDetails,
  known?: string,
): AppDetails {
  const details = {
    name: input.name.trim(),
    redirectUris: [...new Set(input.redirectUris.map(canonicalRedirectUri))],
    frameAncestors: [...new Set(input.frameAncestors.map(canonicalOrigin))],
    resultOrigins: [...new Set(input.resultOrigins.map(canonicalOrigin))],
    topUpUrl: canonicalRedirectUri(input.topUpUrl?.trim() ?? '') || null,
  };
  const { hostname } = new URL(publicUrl);
  const ours = [settings.brandName, hostname];
  const plain = development ? hostname : undefined;
  const faults = [
    ...faultOf('/name', details.name === known ? null : appNameFault(details.name, ours)),
    ...listFaults('redirectUris', details.redirectUris, (uri) => redirectUriFault(uri, plain)),
    ...listFaults('frameAncestors', details.frameAncestors, (origin) => frameAncestorFault(origin, plain)),
    ...listFaults('resultOrigins', details.resultOrigins, (origin) => resultOriginFault(origin, plain)),
    ...faultOf('/topUpUrl', details.topUpUrl && topUpUrlFault(details.topUpUrl, plain)),
  ];
  if (faults.length > 0) throw new Problem('invalid-input', 'The app cannot be registered like this.', faults);
  return details;
}

function faultOf(pointer: string, detail: string | null): InputFault[] {
  return detail ? [{ pointer, detail }] : [];
}

/** Refuses a new name that players could mistake for that of a verified app. `id`: the app that gets the name; null for a new app. */
export async function refuseImitation({ db }: Pick<Service, 'db'>, id: AppId | null, name: string): Promise<void> {
  const taken = await listVerifiedNames(db, id);
  if (taken.some((other) => looksLike(name, other))) {
    throw invalidInput('/name', 'looks like the name of another app, which is verified');
  }
}

function listFaults(field: string, values: readonly string[], check: (value: string) => string | null): InputFault[] {
  if (values.length > MAX_ADDRESSES) return faultOf(`/${field}`, `must not be more than ${MAX_ADDRESSES} at once`);
  return values.flatMap((value, i) => faultOf(`/${field}/${i}`, check(value)));
}

/** The picture in a file. Throws `invalid-input`. */
export function checkedPicture(file: Uint8Array): Picture {
  const read = readPicture(file);
  if ('fault' in read) throw invalidInput('/picture', read.fault);
  return read.picture;
}
