import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { accessSync, constants, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';

// What a host of repositories reads of this one, and what a newcomer types first. Neither runs here, so it goes stale silently.

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

type Step = { readonly run?: string; readonly uses?: string };
type Workflow = {
  readonly permissions: object;
  readonly jobs: Record<
    string,
    { readonly permissions?: object; readonly container: { image: string }; readonly steps: Step[] }
  >;
};

test('workflows only read, pin their actions, and run what is here', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  for (const path of globSync('.github/workflows/*.yml', { cwd: ROOT })) {
    const { permissions, jobs } = parse(read(path)) as Workflow;
    assert.deepEqual(permissions, { contents: 'read' }, path);
    for (const { permissions: more, container, steps } of Object.values(jobs)) {
      assert.equal(more, undefined, path);
      assert.ok(read('Dockerfile').includes(`BASE=docker.io/library/${container.image}\n`), container.image);
      for (const { run = '', uses } of steps) {
        if (uses) assert.match(uses, /^[\w/-]+@[0-9a-f]{40}$/);
        for (const [, script] of run.matchAll(/\bnpm run (\S+)/g)) assert.ok(scripts[script!], run);
        for (const [file] of run.matchAll(/^\.\S+/gm)) accessSync(join(ROOT, file), constants.X_OK);
      }
    }
  }
});

test('each issue form asks something, under an id of its own', () => {
  for (const path of globSync('.github/ISSUE_TEMPLATE/*.yml', { cwd: ROOT }).filter(
    (path) => !path.endsWith('config.yml'),
  )) {
    const form = parse(read(path)) as { name: string; description: string; body: { type: string; id?: string }[] };
    assert.ok(form.name && form.description, path);
    const ids = form.body.flatMap(({ type, id }) => (type === 'markdown' ? [] : [id]));
    assert.ok(ids.length > 0 && !ids.includes(undefined) && new Set(ids).size === ids.length, path);
  }
});

test('the patches of a first change fit the sources', () => {
  const patches = [...read('CONTRIBUTING.md').matchAll(/<<'PATCH'\n([\s\S]*?)^PATCH$/gm)].map(([, patch]) => patch!);
  assert.equal(patches.length, 2);
  for (const input of patches) execFileSync('git', ['apply', '--check'], { cwd: ROOT, input, stdio: 'pipe' });
});
