import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { anvilBinary } from '../local/anvil/node.ts';
import { installedPostgres } from '../local/postgres/binaries.ts';

/** What the figures were measured on, by name. */
export async function describeMachine(): Promise<Readonly<Record<string, string>>> {
  const cores = cpus();
  const postgres = execFileSync(join(await installedPostgres(), 'bin', 'postgres'), ['--version'], {
    encoding: 'utf8',
  });
  const anvil = execFileSync(anvilBinary(), ['--version'], { encoding: 'utf8' });
  return {
    Processor: `${modelOf(cores[0]?.model)}, ${cores.length} cores`,
    Memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    Kernel: `${type()} ${release()}`,
    'Node.js': process.version.slice(1),
    PostgreSQL: /\d[\d.]*/.exec(postgres)?.[0] ?? '',
    anvil: /\d[\d.]*/.exec(anvil)?.[0] ?? '',
  };
}

/** The commit that is measured, and whether files differ from it. */
export function describeCommit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' }).trim();
  // What the runs before have written changes nothing.
  const changed = git(
    'status',
    '--porcelain',
    '--',
    ':/src',
    ':/migrations',
    ':/bench',
    ':/local',
    ':!/bench/measured.json',
  );
  return `${git('rev-parse', '--short=10', 'HEAD')}${changed && ', with changes'}`;
}

/** Virtual machines may hide the name of their processor. */
function modelOf(model: string | undefined): string {
  if (model && model !== 'unknown') return model.trim();
  return /^(?:model name|vendor_id)\s*:\s*(.+)$/m.exec(readFileSync('/proc/cpuinfo', 'utf8'))?.[1] ?? 'of unknown kind';
}
