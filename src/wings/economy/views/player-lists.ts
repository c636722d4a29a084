import type { AppId } from '../../../base/ids.ts';
import { findApps } from '../../../identity/apps.ts';
import type { Service } from '../../../service/service.ts';
import { type FarmedGuests, readFarmedGuests } from '../store/farmed-guests.ts';
import { type NeverPaid, readNeverPaid } from '../store/never-paid.ts';

type Named = { readonly names: ReadonlyMap<string, string> };
export type NamedNeverPaid = NeverPaid & Named;
export type NamedFarmedGuests = FarmedGuests & Named;

/** Players who have quarters and have never paid; null before they were first looked for. Recorded as a security event. */
export async function readIdlePlayers({
  reads,
  security,
}: Pick<Service, 'reads' | 'security'>): Promise<NamedNeverPaid | null> {
  const found = await readNeverPaid(reads);
  if (!found) return null;
  security.note('personal-data-opened', { what: 'players who never paid' });
  return { ...found, names: await namesOf(reads, [...found.apps, ...found.players]) };
}

/** Guests who look farmed; null before they were first looked for. Recorded as a security event. */
export async function readFarmed({
  reads,
  security,
}: Pick<Service, 'reads' | 'security'>): Promise<NamedFarmedGuests | null> {
  const found = await readFarmedGuests(reads);
  if (!found) return null;
  security.note('personal-data-opened', { what: 'guests that look farmed' });
  return { ...found, names: await namesOf(reads, found.groups) };
}

async function namesOf(
  reads: Service['reads'],
  rows: readonly { readonly appId: AppId | null }[],
): Promise<Map<string, string>> {
  const apps = await findApps(reads, [...new Set(rows.flatMap(({ appId }) => appId ?? []))]);
  return new Map([...apps].map(([id, { name }]) => [id, name]));
}
