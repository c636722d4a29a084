import { type ExtensionPoint, extensionPoint, type House } from '../../service/house.ts';
import type { HitTarget } from '../../views/inspection/search.ts';
import type { IconName } from '../../web/icons.ts';

/** A section of a console. `path` continues the address that all sections share. */
export type ConsoleSection = {
  readonly name: string;
  readonly path: string;
  readonly label: string;
  readonly sign: IconName;
  /** Sections stand in the order of these numbers. */
  readonly at: number;
};

/** `path` continues `/operator`. */
export const OPERATOR_SECTIONS = extensionPoint<ConsoleSection>('sections of the operators’ console');

/** Where a section shows one thing of which the operators’ console has a page. */
type ShownElsewhere = {
  readonly of: readonly HitTarget['page'][];
  readonly label: string;
  readonly text: string;
  readonly path: (id: string) => string;
  /** Links stand in the order of these numbers. */
  readonly at: number;
};

export const SHOWN_ELSEWHERE = extensionPoint<ShownElsewhere>('links from a page of the operators’ console');

/** `path` continues the address of an app. */
export const APP_SECTIONS = extensionPoint<ConsoleSection>('sections of an app in the developers’ console');

/** `path` continues the address of an app. */
export const PAYMENT_FILES = extensionPoint<{ readonly path: string; readonly label: string }>(
  'files beside the payments of an app in the developers’ console',
);

/** The sections or links that wings have added, in their order. */
export function inOrder<T extends { readonly at: number }>(house: House, point: ExtensionPoint<T>): T[] {
  return house.of(point).toSorted((one, other) => one.at - other.at);
}
