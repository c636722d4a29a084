/** A variable that looks like a setting, and the setting that it looks like. */
type MisspeltName = { readonly given: string; readonly meant: string };

const PREFIX = /^QUARTERS_/i;

/** Finds the names that are nearly the name of a setting: other letters, another case, a prefix that settings do not have. */
export function misspeltNames(given: readonly string[], settings: readonly string[]): MisspeltName[] {
  return given.flatMap((name) => {
    if (settings.includes(name)) return [];
    const plain = name.toUpperCase().replaceAll('-', '_');
    const meant = settings.find((setting) => isNear(plain, setting) || plain.replace(PREFIX, '') === setting);
    // The one that is set is meant by itself: `http_proxy` beside `HTTP_PROXY` says nothing.
    return meant === undefined || given.includes(meant) ? [] : [{ given: name, meant }];
  });
}

/** Names of fewer letters than this are near to many others: `HOME` to `HOST`. */
const SHORT = 8;
/** From so many letters on, two of them may differ: `TRUSTED_PROXY`. */
const LONG = 10;

function isNear(name: string, setting: string): boolean {
  if (name === setting) return true;
  if (setting.length < SHORT) return false;
  const most = setting.length < LONG ? 1 : 2;
  return Math.abs(name.length - setting.length) <= most && distance(name, setting) <= most;
}

/** How many letters must be added, removed, changed or swapped with their neighbour (optimal string alignment). */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      row[j] = Math.min(last[j]! + 1, row[j - 1]! + 1, changed);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwapped) row[j] = Math.min(row[j]!, before[j - 2]! + 1);
    }
    [before, last] = [last, row];
  }
  return last[b.length]!;
}
