import { extensionPoint } from '../service/house.ts';
import type { Words } from '../words/words.ts';
import type { IconName } from './icons.ts';

/** `forDevelopers`: on a page of a console, or of the documents. */
export type HeaderLink = (
  frame: Words['frame'],
  forDevelopers: boolean,
) => { readonly path: string; readonly sign: IconName; readonly label: string } | null;

export const HEADER_LINKS = extensionPoint<HeaderLink>('links of who is signed in, before the account');

/** Pages link to them where they are served: see `documents-link.ts`. */
export const DOCUMENTS = extensionPoint<string>('the path of the documents');
