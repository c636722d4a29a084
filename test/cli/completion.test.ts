import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { runCli } from '../../src/cli/run.ts';

const repository = resolve(import.meta.dirname, '../..');

async function scriptFor(shell: string): Promise<string> {
  const [out, err] = [new PassThrough(), new PassThrough()];
  const nothing = { start: async () => {}, migrate: async () => ({ applied: [] }), connect: () => assert.fail() };
  assert.equal(await runCli({ ...nothing, out, err }, ['completion', shell]), 0);
  out.end();
  return text(out);
}

/** Ends the test where the shell is not installed. */
const isMissing = (shell: string) => spawnSync(shell, ['-c', 'exit 0']).error !== undefined;

describe('completion', () => {
  const cases: [typed: string[], offered: string[], notOffered: string[]][] = [
    [[''], ['apps', 'issue', 'completion', '--version'], ['create']],
    [['ap'], ['apps'], ['issue']],
    [
      ['apps', ''],
      ['create', 'keys', '--help'],
      ['issue', 'apps'],
    ],
    [['apps', 'keys', ''], ['issue', 'revoke', 'list'], ['create']],
    [
      ['apps', 'keys', 'issue', 'some-app', '--'],
      ['--kind', '--scope', '--name', '--json', '--help'],
      ['--redirect-uri'],
    ],
    [['apps', 'keys', 'issue', '--kind', ''], ['server', 'client'], ['--json']],
    [['trigger', 'request.c'], ['request.completed', 'request.cancelled'], ['request.failed']],
    [['apps', 'show', '--app', 'apps', ''], [], ['create']],
    [['completion', ''], ['bash', 'zsh', 'fish'], []],
  ];

  it('of bash offers commands, options and fixed values', { skip: isMissing('bash') }, async () => {
    const script = await scriptFor('bash');
    for (const [typed, offered, notOffered] of cases) {
      const words = ['quarters', ...typed].map((word) => `'${word}'`).join(' ');
      const ask = `${script}\nCOMP_WORDS=(${words}); COMP_CWORD=${typed.length}; _quarters; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const { stdout, stderr } = spawnSync('bash', ['-c', ask], { encoding: 'utf8' });
      assert.equal(stderr, '');
      const found = stdout.split('\n');
      for (const word of offered) assert.ok(found.includes(word), `${typed.join(' ')} offers ${word}: ${found}`);
      for (const word of notOffered) assert.ok(!found.includes(word), `${typed.join(' ')} does not offer ${word}`);
    }
  });

  for (const shell of ['zsh', 'fish']) {
    it(`of ${shell} is a script that ${shell} can read`, { skip: isMissing(shell) }, async () => {
      const { stderr, status } = spawnSync(shell, ['-n'], { input: await scriptFor(shell), encoding: 'utf8' });
      assert.deepEqual([stderr, status], ['', 0]);
    });
  }
});

describe('the program as it is installed', () => {
  it('prints its version and that of Node.js, and loads the service for neither this nor help', () => {
    const quarters = (...args: string[]) => {
      // Names everything that is loaded.
      const hook = `import { registerHooks } from 'node:module';
        registerHooks({ load(url, context, next) { process.stderr.write(url + '\\n'); return next(url, context); } });`;
      const list = `data:text/javascript,${encodeURIComponent(hook)}`;
      const bin = join(repository, 'bin/quarters.mjs');
      const { stdout, stderr } = spawnSync(process.execPath, ['--import', list, bin, ...args], { encoding: 'utf8' });
      return { stdout, loaded: stderr.split('\n') };
    };
    const { stdout, loaded } = quarters('--version');
    assert.match(stdout, /^quarters \d+\.\d+\.\d+ \(Node\.js v\d+\.\d+\.\d+\)\n$/);
    const own = loaded.filter((url) => url.includes('/src/cli/'));
    assert.ok(own.length > 10, 'the list is complete');
    const heavy = loaded.filter((url) => /node_modules\/(?!commander\/)|src\/(db|settlement|words|api)\//.test(url));
    assert.deepEqual(heavy, [], 'import these when the command runs: const { x } = await import(…)');
  });
});
