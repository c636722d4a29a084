import { isOwnerId } from '../../base/ids.ts';
import { faultOfAddress, faultOfPasted, isAddressForm, namesAddress, readPasted } from '../../base/pasted-address.ts';
import { MAX_QUARTERS } from '../../base/quarters.ts';

// Amounts and recipients as people write them. Nothing is guessed: each text that is not plain is refused, with what to write instead.

const THOUSANDS = /^\d{1,3}(?:[\s.,'’_]\d{3})+$/;
/** Far longer than a number with all its signs, and short enough for each expression below. */
const LONGEST_AMOUNT = 200;
const DECIMALS = /^(\d+)[.,](\d+)$/;

/** What is wrong with an amount, and what to do; null if it is a whole number of quarters in digits. */
export function faultOfAmount(text: string): string | null {
  if (text.length > LONGEST_AMOUNT) return 'is too long for a number: write only digits';
  if (/^[1-9]\d{0,15}$/.test(text)) return BigInt(text) > MAX_QUARTERS ? `is more than ${MAX_QUARTERS}` : null;
  if (text === '') return `is empty: write a whole number from 1 to ${MAX_QUARTERS}`;
  if (/^0+$/.test(text)) return 'is nothing: leave the line out';
  if (/^0+\d+$/.test(text)) return `has zeros in front: write ${text.replace(/^0+/, '')}`;
  if (/^\d+$/.test(text)) return `is more than ${MAX_QUARTERS}`;
  if (/^\+\d+$/.test(text)) return `has a sign: write ${text.slice(1)}`;
  if (/^[-−]/.test(text)) return 'is negative: a payment is a whole number from 1';
  if (/^\d+(?:[.,]\d+)?e[+-]?\d+$/i.test(text)) {
    return 'was shortened by a spreadsheet, which may have lost digits: format the column as a number without decimals, and save the file again';
  }
  if (THOUSANDS.test(text)) return `has a thousands separator: write ${text.replaceAll(/\D/g, '')} if that is meant`;
  const [, whole, decimals] = DECIMALS.exec(text) ?? [];
  if (decimals) {
    if (/^0+$/.test(decimals)) return `has decimals: write ${whole}`;
    return `has decimals, but quarters are whole: round it, to ${whole} for example`;
  }
  if (/\d/.test(text) && /[\p{Sc}\p{L}%]/u.test(text)) return 'has more than a number in it: write only digits';
  return 'is not a number: write only digits';
}

/** What is wrong with the name of a recipient, and what to do; null if it may name an account, a user or an app. */
export function faultOfRecipient(text: string, chainId: number): string | null {
  if (text === '') return 'is empty: write an id, an address or an e-mail address';
  if (text.length > 320) return 'is too long for an id, an address or an e-mail address';
  if (/\s/.test(text)) return 'has a space in it: write an id, an address or an e-mail address';
  if (/\p{Cc}/u.test(text)) return 'has a control character in it: take it out';
  if (isOwnerId(text)) return null;
  if (isAddressForm(text)) return faultOfPasted(text, chainId);
  if (text.includes('@')) return null;
  if (/^[0-9a-f]{40}$/i.test(text)) return faultOfAddress(text);
  if (/^[^.]+\.[^.]/.test(text)) return 'is a name, and names are not looked up: write the address that it stands for';
  return null;
}

/** The name of a recipient without the chain that a wallet writes to an address. Nothing is wrong with it. */
export function plainRecipient(text: string, chainId: number): string {
  const pasted = namesAddress(text) ? readPasted(text, chainId) : null;
  return pasted?.kind === 'here' ? pasted.written : text;
}

/** A value and what is wrong with it, cut to what a person reads. */
export function faultText(value: string, fault: string): string {
  const shown = value.length > 100 ? `${value.slice(0, 100).toWellFormed()}…` : value;
  return `${JSON.stringify(shown)} ${fault}`;
}
