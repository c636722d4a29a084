import { ar } from '../../words/ar.ts';
import { de } from '../../words/de.ts';
import { en } from '../../words/en.ts';
import { es } from '../../words/es.ts';
import { fr } from '../../words/fr.ts';
import { ja } from '../../words/ja.ts';
import { ptBR } from '../../words/pt-br.ts';
import { LOCALES, type Locale } from '../base/locales.ts';
import type { Words } from './words.ts';

const WORDS: Readonly<Record<Locale, Words>> = { en, de, es, fr, 'pt-BR': ptBR, ja, ar };

/** The languages of an installation. */
export type Languages = {
  readonly all: readonly Words[];
  /** For readers of whom nothing better is known. */
  readonly fallback: Words;
};

export function languagesWith(fallback: Locale): Languages {
  return { all: LOCALES.map((locale) => WORDS[locale]), fallback: WORDS[fallback] };
}

/** The language with exactly this tag (BCP 47), in any letter case. `pt` is `pt-BR`, the only Portuguese. */
export function languageOf({ all }: Languages, tag: string): Words | null {
  const wanted = tag.toLowerCase();
  const isIt = ({ language }: Words) => language.toLowerCase() === wanted || language.split('-', 1)[0] === wanted;
  return all.find(isIt) ?? null;
}

/** The first language that one of these ranges asks for, by shortening them (lookup: RFC 4647, section 3.4). */
export function lookUpLanguage(languages: Languages, ranges: readonly string[]): Words | null {
  for (const range of ranges) {
    for (const subtags = range.split('-'); subtags.length > 0; subtags.pop()) {
      const words = languageOf(languages, subtags.join('-'));
      if (words) return words;
    }
  }
  return null;
}

const MOST_RANGES = 20;
const RANGE = /^([a-z]{1,8}(?:-[a-z\d]{1,8})*)\s*(?:;\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/i;

/** The ranges of an `Accept-Language`, the most wanted first (RFC 9110, section 12.5.4). Wildcards ask for nothing. */
export function acceptedRanges(header: string | undefined): string[] {
  return (header ?? '')
    .split(',', MOST_RANGES)
    .map((part) => RANGE.exec(part.trim()))
    .filter((match) => match !== null)
    .map(([, range = '', weight = '1']) => ({ range, weight: Number(weight) }))
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .map(({ range }) => range);
}

/** The ranges of a `locale`, or of OpenID Connect's `ui_locales`, which spaces separate. */
export function namedRanges(text: string | undefined): string[] {
  return (text ?? '').split(/\s+/, MOST_RANGES).filter((range) => /^[a-z\d-]{2,35}$/i.test(range));
}
