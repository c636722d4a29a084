import { en } from './en.ts';

/** Every sentence that people read on pages and in mails, developers in their mails too. A language is one file of this shape. */
export type Words = typeof en;

/** The language of this installation. English is the only one so far. */
export const words: Words = en;
