import type { Frame, Page } from 'playwright-core';
import type { Words } from '../../src/words/words.ts';
import { en } from '../../words/en.ts';

/** The sentences without parts of a catalogue, by their place in it. */
function sentencesOf(part: unknown, place = ''): [place: string, sentence: string][] {
  if (typeof part === 'string') return [[place, part]];
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([name, value]) => sentencesOf(value, `${place}/${name}`));
}

const ENGLISH = sentencesOf(en);

/** What a page says in place of an English text that a scene looks for: one of the sentences of the same places. */
function translated(words: Words, text: string | RegExp): RegExp {
  const theirs = new Map(sentencesOf(words));
  const says = (test: (sentence: string) => boolean) => ENGLISH.filter(([, sentence]) => test(sentence));
  const isText = typeof text === 'string';
  const whole = says((sentence) => (isText ? sentence === text : text.test(sentence)));
  const found = whole.length > 0 || !isText ? whole : says((sentence) => sentence.includes(text));
  const sentences = found.map(([place]) => RegExp.escape(theirs.get(place) ?? ''));
  if (sentences.length === 0) throw new Error(`No English sentence is ${text}.`);
  return new RegExp(`^(?:${sentences.join('|')})`);
}

/** The same page for a scene that looks for English texts, although the page is in another language. */
export function inLanguage<Place extends Page | Frame>(place: Place, words: Words): Place {
  return new Proxy(place, {
    get(target, property) {
      const value = Reflect.get(target, property, target) as unknown;
      if (typeof value !== 'function') return value;
      return (...given: unknown[]) => {
        const result = Reflect.apply(value, target, translatedArguments(words, property, given)) as unknown;
        return property === 'frames' ? (result as Frame[]).map((frame) => inLanguage(frame, words)) : result;
      };
    },
  });
}

function translatedArguments(words: Words, method: string | symbol, given: unknown[]): unknown[] {
  const [first, options] = given as [string | RegExp, { name?: string | RegExp } | undefined];
  if (method === 'getByText' || method === 'getByLabel') return [translated(words, first)];
  if (method !== 'getByRole' || options?.name === undefined) return given;
  return [first, { ...options, name: translated(words, options.name) }];
}
