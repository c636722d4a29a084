import { uuidFrom } from '../../base/ids.ts';
import { invalidInput, Problem } from '../../base/problems.ts';
import { asQuarters, MAX_QUARTERS, type Quarters } from '../../base/quarters.ts';
import { lookUpNamedApp } from '../../identity/apps.ts';
import { findUserByEmail, lookUpNamedUser } from '../../identity/users.ts';
import { noSuchApp } from '../../service/managers.ts';
import type { Service } from '../../service/service.ts';
import { checkRewardKey, findNamedUser } from '../rewards/rewards.ts';
import type { ActionInput } from './action-deed.ts';
import type { ActionField, ActionFields } from './declaration.ts';
import { LONGEST_TEXT } from './fields.ts';

type Read = string | number | null;
type Finder = (
  service: Pick<Service, 'db' | 'chain'>,
  input: ActionInput,
  name: string,
  field: ActionField,
) => Promise<Read>;

/** What the database has to find. */
const FINDERS: Partial<Record<ActionField['kind'], Finder>> = {
  async app({ db }, input, name, field) {
    const id = requiredText(input, name, field);
    const app = await lookUpNamedApp(db, id);
    if (!app) throw noSuchApp(id);
    return app.id;
  },
  user: async (service, input, name, field) => (await findNamedUser(service, requiredText(input, name, field))).id,
  async person({ db }, input, name, field) {
    const { input: typed = name } = field;
    const id = input[name];
    const user = await (typeof id === 'string'
      ? lookUpNamedUser(db, id)
      : findUserByEmail(db, requiredText(input, typed, field)));
    if (user) return user.id;
    if (typeof id === 'string') throw new Problem('not-found', `There is no user "${id}".`);
    throw invalidInput(`/${typed}`, 'belongs to nobody who has signed up');
  },
};

/** Reads what was typed or sent: first all that is right or wrong by itself, then what it names. */
export async function readActionFields(
  service: Pick<Service, 'db' | 'chain'>,
  fields: ActionFields,
  input: ActionInput,
): Promise<Readonly<Record<string, Read>>> {
  const needsFinding = ([, { kind }]: [string, ActionField]) => Number(kind in FINDERS);
  const values: Record<string, Read> = {};
  for (const [name, field] of Object.entries(fields).toSorted((a, b) => needsFinding(a) - needsFinding(b))) {
    const find = FINDERS[field.kind];
    values[name] = find ? await find(service, input, name, field) : readValue(input, name, field);
  }
  return values;
}

function readValue(input: ActionInput, name: string, field: ActionField): Read {
  const { kind, optional, options } = field;
  if (kind === 'key') return keyIn(input, name);
  if (optional && `${input[name] ?? ''}` === '') return null;
  if (kind === 'number') return amountIn(input, name);
  if (options) return optionIn(input, name, Object.keys(options));
  const text = requiredText(input, name, field);
  if (kind === 'text') return text;
  const id = uuidFrom(text);
  if (!id) throw invalidInput(`/${name}`, 'is not a UUID');
  return id;
}

/** The text of a field, without spaces around it. */
function requiredText(input: ActionInput, name: string, { most = LONGEST_TEXT }: ActionField): string {
  const value = input[name];
  const text = typeof value === 'string' ? value.trim() : '';
  if (text === '') throw invalidInput(`/${name}`, 'is missing');
  if (text.length > most) throw invalidInput(`/${name}`, `must have at most ${most} characters`);
  return text;
}

/** A number for JSON: none exceeds 2^53−1. */
function amountIn(input: ActionInput, name: string): number {
  const text = `${input[name] ?? ''}`;
  if (text === '') throw invalidInput(`/${name}`, 'is missing');
  const amount = /^[1-9]\d{0,15}$/.test(text.trim()) ? BigInt(text) : 0n;
  if (amount >= 1n && amount <= MAX_QUARTERS) return Number(amount);
  throw invalidInput(`/${name}`, `must be a whole number from 1 to ${MAX_QUARTERS}, digits only`);
}

function keyIn(input: ActionInput, name: string): string | null {
  const key = input[name] === undefined ? undefined : `${input[name]}`;
  checkRewardKey(key);
  return key ?? null;
}

function optionIn(input: ActionInput, name: string, options: readonly string[]): string {
  const given = input[name] || options[0];
  const known = options.find((option) => option === given);
  if (known === undefined) throw invalidInput(`/${name}`, `must be ${options.join(' or ')}`);
  return known;
}

export const quartersOf = (amount: number): Quarters => asQuarters(BigInt(amount));
