import { uuidFrom } from '../../base/ids.ts';
import { invalidInput } from '../../base/problems.ts';
import { asQuarters, MAX_QUARTERS, type Quarters } from '../../base/quarters.ts';
import type { ActionInput } from './action-kind.ts';

const LONGEST = 300;

/** The text of a field, without spaces around it. Throws `invalid-input` if there is none. */
export function requiredText(input: ActionInput, name: string): string {
  const value = input[name];
  const text = typeof value === 'string' ? value.trim() : '';
  if (text === '') throw invalidInput(`/${name}`, 'is missing');
  if (text.length > LONGEST) throw invalidInput(`/${name}`, `must have at most ${LONGEST} characters`);
  return text;
}

/** A UUID, in lower case. Throws `invalid-input`. */
export function requiredUuid(input: ActionInput, name: string): string {
  const id = uuidFrom(requiredText(input, name));
  if (!id) throw invalidInput(`/${name}`, 'is not a UUID');
  return id;
}

/** Quarters, as a number for JSON: none exceeds 2^53−1. Throws `invalid-input`. */
export function requiredAmount(input: ActionInput, name: string): number {
  const amount = optionalAmount(input, name);
  if (amount === null) throw invalidInput(`/${name}`, 'is missing');
  return amount;
}

/** The same; null for a field that is empty or missing. */
export function optionalAmount(input: ActionInput, name: string): number | null {
  const value = input[name];
  if (value === undefined || value === null || value === '') return null;
  const text = `${value}`.trim();
  const amount = /^[1-9]\d{0,15}$/.test(text) ? BigInt(text) : 0n;
  if (amount < 1n || amount > MAX_QUARTERS) {
    throw invalidInput(`/${name}`, `must be a whole number from 1 to ${MAX_QUARTERS}, digits only`);
  }
  return Number(amount);
}

export const quartersOf = (amount: number): Quarters => asQuarters(BigInt(amount));
