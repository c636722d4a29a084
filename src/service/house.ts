import { SettingsError } from '../config/settings-error.ts';
import type { WingChoice } from '../config/wings.ts';

/**
 * A place in the core to which wings add something of type `T`. The room that reads it declares it, and whoever looks for its takers searches
 * for its name.
 */
export type ExtensionPoint<T> = {
  readonly says: string;
  /** What a wing has stored goes, or is taken back, as promised, also while the wing is left out. */
  readonly evenLeftOut: boolean;
  readonly takes?: (addition: T) => void;
};

/** `says`: what happens to the additions, to read beside the name. */
export function extensionPoint<T>(says: string, { evenLeftOut = false } = {}): ExtensionPoint<T> {
  return { says, evenLeftOut };
}

/** Loads an addition when it is needed: a command must not load the pages. */
export type Load<T> = () => Promise<T>;

/** What the wings have added to the core. Its order is that of the wings. */
export type House = {
  readonly leftOut: readonly Wing[];
  of<T>(point: ExtensionPoint<T>): readonly T[];
};

/** What a wing gets to add itself. */
export type OpenHouse = { add<T>(point: ExtensionPoint<T>, ...additions: readonly T[]): void };

/** A product that hangs on the core. The core imports no wing, and wings import no other wing. */
export type Wing = {
  /** As in the setting `WINGS`. */
  readonly name: string;
  /** Says all that it adds. Loads nothing: what is costly to load is added as a {@link Load}. */
  mount(house: OpenHouse): void;
};

/** Throws a {@link SettingsError} that names all wings if the choice names one that does not exist. */
function chooseWings(all: readonly Wing[], choice: WingChoice): readonly Wing[] {
  const named = new Set('only' in choice ? choice.only : choice.but);
  const unknown = [...named].find((name) => all.every((wing) => wing.name !== name));
  if (unknown !== undefined) {
    const names = all.map(({ name }) => name).join(', ');
    throw new SettingsError([`WINGS names ${unknown}, which is none. There are: ${names}`]);
  }
  return all.filter(({ name }) => named.has(name) === 'only' in choice);
}

/** A house with those of the wings that are chosen. Throws as {@link chooseWings}. */
export function houseOf(all: readonly Wing[], choice: WingChoice = { but: [] }): House {
  const chosen = chooseWings(all, choice);
  const leftOut = all.filter((wing) => !chosen.includes(wing));
  const added = new Map<ExtensionPoint<never>, unknown[]>();
  for (const wing of all) {
    wing.mount({
      add(point, ...additions) {
        if (leftOut.includes(wing) && !point.evenLeftOut) return;
        added.set(point, [...(added.get(point) ?? []), ...additions]);
      },
    });
  }
  return { leftOut, of: <T>(point: ExtensionPoint<T>) => (added.get(point) ?? []) as T[] };
}

/** Loads all additions of a point, in order. */
export function loadAll<T>({ of }: House, point: ExtensionPoint<Load<T>>): Promise<readonly T[]> {
  return Promise.all(of(point).map((load) => load()));
}
