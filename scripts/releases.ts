/** The releases in releases.json, and what is wrong between the latest one and this tree. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** `commit` and `migration`, the newest one it had, are null until the commit of the release exists. */
export type ReleaseEntry = {
  readonly version: string;
  readonly date: string;
  readonly compatibility: number;
  readonly commit: string | null;
  readonly migration: string | null;
};

export function readReleases(root: string): ReleaseEntry[] {
  return JSON.parse(readFileSync(join(root, 'releases.json'), 'utf8')) as ReleaseEntry[];
}

/** Whether a commit belongs to what is checked out; null if this copy has no history, or only a part of it. */
export function isInHistory(root: string, commit: string): boolean | null {
  const git = (...args: string[]) => spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  if (git('rev-parse', '--is-shallow-repository').stdout?.trim() !== 'false') return null;
  return git('merge-base', '--is-ancestor', commit, 'HEAD').status === 0;
}

/** Names of a tree's migrations, in their order. */
export function migrationsIn(root: string): string[] {
  return readdirSync(join(root, 'migrations'))
    .filter((name) => /^\d+_.*\.sql$/.test(name))
    .sort();
}

const SAYS_IT_DOES_NOT_ROLL = /\bdoes not roll\b/i;

/** Lists releases with another level than the one before that do not say in the change log that they do not roll. */
export function unsaidLevels(releases: readonly ReleaseEntry[], changeLog: string): string[] {
  const sections = new Map(changeLog.split(/^## /m).map((section) => [section.split(/\s/)[0], section]));
  return releases
    .filter(({ compatibility }, i) => i > 0 && compatibility !== releases[i - 1]!.compatibility)
    .map(({ version }) => version)
    .filter((version) => !SAYS_IT_DOES_NOT_ROLL.test(sections.get(version) ?? ''));
}

const SETS_LEVEL = /^UPDATE compatibility SET level = (\d+);$/gm;
const ROLLS = /^-- Rolls: \S/;

/**
 * Lists what is wrong with the migrations since the latest release, one sentence each. Each either rolls, and its first line says why,
 * or sets the next level. `compatibility` is the level of this tree. `migrations` maps names to their SQL.
 */
export function levelFaults(
  releases: readonly ReleaseEntry[],
  compatibility: number,
  migrations: ReadonlyMap<string, string>,
): string[] {
  const latest = releases.findLast(({ commit }) => commit !== null);
  if (!latest) return [];
  const faults: string[] = [];
  let level = latest.compatibility;
  for (const [name, sql] of migrations) {
    if (latest.migration !== null && name <= latest.migration) continue;
    const levels = [...sql.matchAll(SETS_LEVEL)].map(([, to]) => Number(to));
    if (levels.length === 0 && !ROLLS.test(sql))
      faults.push(`${name} must begin with "-- Rolls: " and the reason, or set the next level of compatibility.`);
    for (const to of levels) {
      if (to !== latest.compatibility + 1)
        faults.push(`${name} sets level ${to}. The next one is ${latest.compatibility + 1}.`);
      level = to;
    }
  }
  if (level !== compatibility)
    faults.push(`src/config/release.ts says level ${compatibility}, and the migrations lead to level ${level}.`);
  return faults;
}
