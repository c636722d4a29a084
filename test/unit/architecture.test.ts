import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { findBreaches, importsOf } from '../../scripts/architecture.ts';
import { findUndecidedReads, wholeReadsIn } from '../../scripts/archived-rows.ts';
import { exportsOf, findTwins } from '../../scripts/exported-names.ts';
import { codeOf, literalsOf } from '../../scripts/source-text.ts';
import { findCrossings, namesIn, tablesOf } from '../../scripts/table-owners.ts';
import { findTimeBreaches } from '../../scripts/time-sources.ts';

const root = resolve(import.meta.dirname, '../..');

function readTree(): Map<string, string> {
  const files = new Map<string, string>();
  for (const folder of ['src', 'words', 'local', 'sdk', 'test', 'scripts', 'bench'].filter((name) =>
    existsSync(join(root, name)),
  )) {
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (path.includes('node_modules') || !entry.isFile() || !/\.(ts|mjs|js)$/.test(entry.name)) continue;
      files.set(relative(root, path).replaceAll('\\', '/'), readFileSync(path, 'utf8'));
    }
  }
  return files;
}

/** A form of another site changes nothing, and only pages know of it. */
const CHANGES = /\bdb\.transaction\(|\b(?:withIdempotency|changeAs|auditingAlone)\(|\.note\(\s*'(?!foreign-form')/;

/** A file that imports `specifier`; what it points at exists. */
function breachesOf(path: string, specifier: string): string[] {
  return findBreaches(new Map([[path, `import { x } from '${specifier}';`]]));
}

describe('the tree', () => {
  it('keeps the arrows, the packages in their rooms, and has no cycle', () => {
    const files = readTree();
    assert.ok(files.has('src/service/service.ts'));
    const breaches = findBreaches(files);
    assert.ok(breaches.length === 0, `\n${breaches.join('\n')}\n`);
  });
});

describe('what this process has seen', () => {
  it('is changed by settlement alone: elsewhere nothing has the service as an Engine', () => {
    const writing = [...readTree()]
      .filter(([path, source]) => /^(src|local)\/(?!settlement\/)/.test(path) && /\bEngine\b/.test(codeOf(source)))
      .map(([path]) => path);
    assert.deepEqual(writing, [], 'add a function to src/settlement/readiness.ts for it');
  });
});

describe('the time', () => {
  it('is asked for in ways that the emulator can move, and nobody else moves it', () => {
    const migrations = join(root, 'migrations');
    const sql = readdirSync(migrations)
      .filter((name) => name.endsWith('.sql'))
      .map((name) => [`migrations/${name}`, readFileSync(join(migrations, name), 'utf8')] as const);
    assert.ok(sql.length > 50);
    assert.deepEqual(findTimeBreaches(new Map([...readTree(), ...sql])), []);
  });

  const refused: [path: string, source: string, because: RegExp][] = [
    ['src/mail/mail.ts', 'await query(`SELECT FROM mails WHERE at < CURRENT_TIMESTAMP`);', /CURRENT_TIMESTAMP cannot/],
    ['migrations/0099_x.sql', "ALTER TABLE mails ADD day date DEFAULT 'today';", /'today' cannot be moved/],
    ['migrations/0099_x.sql', 'CREATE VIEW late AS SELECT id FROM mails WHERE at < now();', /binds a view/],
    ['local/emulator/due.ts', "await query('SELECT localtimestamp');", /localtimestamp cannot/],
    ['src/base/delays.ts', 'globalThis.Date = Other;', /moves the time of its process/],
    ['local/parts.ts', "import { syncBuiltinESMExports } from 'node:module';", /moves the time of its process/],
    ['src/base/delays.ts', 'Date.now = () => 0;', /moves the time/],
    ['src/db/pool.ts', "await query('SET search_path = mine');", /sets a search path/],
  ];
  for (const [path, source, because] of refused) {
    it(`refuses ${source} in ${path}`, () => {
      const breaches = findTimeBreaches(new Map([[path, source]]));
      assert.equal(breaches.length, 1, breaches.join('\n'));
      assert.match(breaches[0]!, because);
    });
  }

  it('may be moved by the emulator', () => {
    const source = "globalThis.Date = Moved; syncBuiltinESMExports(); await query('SET search_path = emulator');";
    assert.deepEqual(findTimeBreaches(new Map([['local/emulator/moved-time.ts', source]])), []);
  });
});

describe('views and diagnostics', () => {
  it('change nothing: they open snapshots, and no transaction', () => {
    const changing = [...readTree()]
      .filter(
        ([path, source]) =>
          /^src\/(wings\/[\w-]+\/)?(views|diagnostics)\//.test(path) &&
          /\.transaction\(|\bauditingAlone\b/.test(codeOf(source)),
      )
      .map(([path]) => path);
    assert.deepEqual(changing, [], 'what changes something is a verb of src/features');
  });
});

describe('what a replica may answer', () => {
  const isView = (path: string) => /^src\/(wings\/[\w-]+\/)?views\//.test(path);
  const naming = [...readTree()].filter(
    ([path, source]) => path.startsWith('src/') && /(\.|[{,]\s*)reads\b/.test(codeOf(source)),
  );

  it('is only shown: views read from it, and nothing that decides', () => {
    const others = naming.map(([path]) => path).filter((path) => !isView(path));
    assert.deepEqual(others.sort(), [
      'src/db/reads.ts',
      'src/process/open-databases.ts',
      'src/process/open-service.ts',
    ]);
  });

  it('is read by no feature, through a view either', () => {
    const views = new Set(naming.map(([path]) => path).filter(isView));
    assert.ok(views.size > 20);
    const importing = [...readTree()].flatMap(([path, source]) =>
      /^src\/(wings\/[\w-]+\/)?features\//.test(path)
        ? importsOf(source)
            .map((specifier) => posix.join(posix.dirname(path), specifier ?? ''))
            .filter((target) => views.has(target))
            .map((target) => `${path} imports ${target}`)
        : [],
    );
    assert.deepEqual(importing, [
      // It counts, and what it counts is not what it shows.
      'src/wings/economy/features/show-statistics.ts imports src/wings/economy/views/read-statistics.ts',
    ]);
  });
});

describe('the edges', () => {
  it('leave transactions and notes of a change to the features', () => {
    const doing = [...readTree()]
      .filter(([path, source]) => /^src\/(wings\/[\w-]+\/)?(api|pages|cli)\//.test(path) && CHANGES.test(source))
      .map(([path]) => path);
    assert.deepEqual(doing, [], 'a verb of src/features owns authority, idempotency, transaction and security note');
  });
});

describe('the arrows', () => {
  const refused: [from: string, specifier: string, because: RegExp][] = [
    ['src/base/hex.ts', '../db/database.ts', /points up, from base to db/],
    ['src/config/settings.ts', '../ledger/holds.ts', /points up/],
    ['src/ledger/accounts.ts', '../service/service.ts', /points up/],
    ['src/views/accounts/read-account.ts', '../../http/server.ts', /points up/],
    ['src/cli/run.ts', '../main.ts', /points up/],
    ['src/api/caller.ts', '../pages/pages.ts', /api and pages are of one level/],
    ['src/http/server.ts', '../pages/pages.ts', /points up/],
    ['src/web/layout.ts', '../pages/pages.ts', /points up/],
    ['src/jobs/jobs.ts', '../cli/run.ts', /jobs and cli are of one level/],
    ['src/ledger/accounts.ts', '../identity/users.ts', /ledger and identity are of one level/],
    ['src/requests/requests.ts', '../custody/vault.ts', /of one level/],
    ['src/db/database.ts', '../config/settings.ts', /db and config are of one level/],
    ['src/shop/shop.ts', '../base/hex.ts', /src\/shop has no place/],
    ['src/db/database.ts', '../../test/kit/service/database.ts', /nothing outside src\//],
    ['sdk/server.ts', '../src/base/hex.ts', /nothing outside sdk\//],
    ['src/process/start.ts', '../../local/parts.ts', /nothing outside src\//],
    ['local/parts.ts', '../test/kit/service/database.ts', /local imports src and itself alone/],
    ['test/race/keys.test.ts', '../api/calls.ts', /what two folders of tests share is in test\/kit/],
    ['test/kit/unit/until.ts', '../service/evm.ts', /the kit's arrows point down/],
    ['sdk/server.ts', 'viem', /no dependencies/],
  ];
  for (const [from, specifier, because] of refused) {
    it(`refuse ${specifier} in ${from}`, () => {
      const breaches = breachesOf(from, specifier);
      assert.equal(breaches.length, 1, breaches.join('\n'));
      assert.match(breaches[0] ?? '', because);
    });
  }

  const allowed: [from: string, specifier: string][] = [
    ['src/main.ts', './process/run-program.ts'],
    ['src/process/site.ts', '../http/server.ts'],
    ['src/cli/run.ts', '../config/settings.ts'],
    ['src/api/operations/get-me.ts', '../caller.ts'],
    ['src/views/accounts/read-account.ts', '../../ledger/accounts.ts'],
    ['local/anvil/anvil.ts', '../child.ts'],
    ['local/postgres/postgres.ts', '../../src/db/database.ts'],
    ['src/base/secrets.ts', './ids.ts'],
    ['src/base/ids.ts', 'node:crypto'],
    ['sdk/browser.ts', './shapes.ts'],
    ['test/kit/service/database.ts', '../../../local/postgres/postgres.ts'],
    ['test/kit/service/people.ts', '../unit/until.ts'],
    ['test/race/keys.test.ts', './locks.ts'],
  ];
  for (const [from, specifier] of allowed) {
    it(`allow ${specifier} in ${from}`, () => assert.deepEqual(breachesOf(from, specifier), []));
  }
});

describe('the packages', () => {
  const refused: [path: string, specifier: string][] = [
    ['src/features/payments/pay-user.ts', 'viem'],
    ['src/chain/token.ts', 'viem/utils'],
    ['bench/chain-limit.ts', 'viem/utils'],
    ['src/ledger/accounts.ts', 'pg'],
    ['src/main.ts', 'node-pg-migrate'],
    ['src/service/instruction.ts', 'fastify'],
    ['src/jobs/jobs.ts', '@fastify/cookie'],
    ['src/main.ts', 'commander'],
    ['src/chain/transaction.ts', 'secp256k1'],
    ['src/pages/approval.ts', 'jose'],
    ['src/custody/signing-keys.ts', 'jose'],
    ['src/pages/oauth/mount.ts', 'oidc-provider'],
    ['src/features/sessions/sign-in.ts', 'nodemailer'],
    ['src/pages/account/passkeys.ts', '@simplewebauthn/server'],
    ['src/web/game-text.ts', 'marked'],
  ];
  for (const [path, specifier] of refused) {
    it(`refuse ${specifier} in ${path}`, () =>
      assert.match(breachesOf(path, specifier).join(), /is for (src\/.*|test) only/));
  }

  const allowed: [path: string, specifier: string][] = [
    ['src/db/migrate.ts', 'node-pg-migrate'],
    ['src/http/server.ts', '@fastify/helmet'],
    ['src/cli/run.ts', 'commander'],
    ['src/custody/signer.ts', 'secp256k1'],
    ['bench/chain-limit.ts', 'secp256k1'],
    ['src/main.ts', 'pino'],
  ];
  for (const [path, specifier] of allowed) {
    it(`allow ${specifier} in ${path}`, () => assert.deepEqual(breachesOf(path, specifier), []));
  }
});

describe('cycles and names', () => {
  it('finds rooms that import each other, by other files than a cycle needs', () => {
    const files = new Map([
      ['src/features/a/one.ts', "import { x } from '../b/one.ts';"],
      ['src/features/b/one.ts', ''],
      ['src/features/b/two.ts', "import { x } from '../a/two.ts';"],
      ['src/features/a/two.ts', ''],
    ]);
    assert.deepEqual(findBreaches(files), ['src/features/a and src/features/b import each other.']);
  });

  it('finds a cycle once, through any number of files, type imports included', () => {
    const breaches = findBreaches(
      new Map([
        ['src/base/c.ts', "import type { A } from './a.ts';"],
        ['src/base/a.ts', "import { b } from './b.ts';"],
        ['src/base/b.ts', "export { c } from './c.ts';"],
        ['src/base/d.ts', "import './a.ts';"],
      ]),
    );
    assert.deepEqual(breaches, ['Import cycle: src/base/a.ts → src/base/b.ts → src/base/c.ts → src/base/a.ts.']);
  });

  it('finds a file that imports itself, and leaves a diamond alone', () => {
    const itself = findBreaches(new Map([['src/base/a.ts', "import './a.ts';"]]));
    assert.deepEqual(itself, ['Import cycle: src/base/a.ts → src/base/a.ts.']);
    const diamond = findBreaches(
      new Map([
        ['src/base/a.ts', "import './b.ts';\nimport './c.ts';"],
        ['src/base/b.ts', "import './d.ts';"],
        ['src/base/c.ts', "import './d.ts';"],
        ['src/base/d.ts', ''],
      ]),
    );
    assert.deepEqual(diamond, []);
  });

  for (const path of [
    'src/utils/x.ts',
    'src/db/helpers.ts',
    'test/common/x.ts',
    'scripts/misc.mjs',
    'src/base/hex-utils.ts',
  ]) {
    it(`refuses the name ${path}`, () => assert.match(findBreaches(new Map([[path, '']])).join(), /says nothing/));
  }
});

describe('tests', () => {
  const source = "import { after, test, type TestContext } from 'node:test';";
  it('are written in *.test.ts files', () => {
    assert.deepEqual(findBreaches(new Map([['test/race/a.test.ts', source]])), []);
    assert.match(findBreaches(new Map([['test/race/a.ts', source]])).join(), /imports test of node:test/);
    const types = "import { after, type TestContext } from 'node:test';";
    assert.deepEqual(findBreaches(new Map([['test/race/a.ts', types]])), []);
  });
});

describe('importsOf', () => {
  const cases: [name: string, source: string, expected: (string | null)[]][] = [
    [
      'values, types, defaults and stars',
      "import a, { b } from 'p';\nimport type { C } from \"q\";\nimport * as d from 'r';",
      ['p', 'q', 'r'],
    ],
    ['several lines', "import {\n  a, // first\n  type B,\n} from './a.ts';", ['./a.ts']],
    ['side effects', "import './a.ts';", ['./a.ts']],
    ['re-exports', "export { a } from './a.ts';\nexport type * from './b.ts';", ['./a.ts', './b.ts']],
    [
      'dynamic and type imports',
      "const a = await import('./a.ts');\ntype B = import('./b.ts').B;",
      ['./a.ts', './b.ts'],
    ],
    ['a computed import', 'await import(name);', [null]],
    ['a template in an import', `await import(\`./\${name}.ts\`);`, [null]],
    ['no comment', "// import 'a';\n/*\nimport 'b';\n*/", []],
    ['no text', `const a = \`\nimport 'b';\n\`;\nconst c = "import('d')";`, []],
    ['code after text with a slash and a star', "const a = '/*';\nawait import('b');\nconst c = 'x */';", ['b']],
    ['no plain export', "export const from = 'a';\nexport default 'b';", []],
    ['no import.meta', "import.meta.resolve('a');", []],
  ];
  for (const [name, source, expected] of cases) {
    it(`finds ${name}`, () => assert.deepEqual(importsOf(source), expected));
  }
});

describe('tables', () => {
  const schema = readFileSync(join(root, 'migrations/schema.sql'), 'utf8');

  it('are queried by the module that owns them, but for what is allowed', () => {
    const faults = findCrossings(readTree(), tablesOf(schema));
    assert.ok(faults.length === 0, `\n${faults.join('\n')}\n`);
  });

  it('are read with their archived rows only where somebody has said what that means', () => {
    const faults = findUndecidedReads(readTree());
    assert.ok(faults.length === 0, `\n${faults.join('\n')}\n`);
  });

  for (const [sql, expected] of [
    ['SELECT FROM transfers JOIN ONLY requests USING (id)', ['transfers']],
    ['UPDATE ONLY transfers SET a = 1 FROM locked', []],
    ['DELETE FROM postings USING transactions AS sent', ['postings', 'transactions']],
    ['SELECT FROM ONLY requests, transfers', ['transfers']],
    ['INSERT INTO transfers SELECT * FROM new', []],
  ] as const) {
    it(`are read whole, or live alone: ${sql}`, () => assert.deepEqual(wholeReadsIn(sql), expected));
  }

  it('cannot be read by a new statement that says nothing', () => {
    const source = new Map([['src/requests/new.ts', "query('SELECT FROM requests')"]]);
    assert.match(findUndecidedReads(source, []).join(), /names requests without ONLY 1 times, and .* says 0/);
  });

  const ROOMS = { owners: { ledger: ['accounts'], identity: ['users'] }, crossings: [] };
  const faultsOf = (source: string, rooms: Parameters<typeof findCrossings>[2] = ROOMS) =>
    findCrossings(new Map([['src/ledger/accounts.ts', source]]), ['accounts', 'users'], rooms);

  for (const [name, sql, expected] of [
    ['a read', 'SELECT id FROM accounts', ['accounts']],
    ['joins', 'SELECT FROM a JOIN b USING (id) LEFT JOIN c ON true', ['a', 'b', 'c']],
    ['a list', 'SELECT FROM rewards, accounts AS treasury, users u WHERE true', ['rewards', 'accounts', 'users']],
    ['writes', 'INSERT INTO a; UPDATE ONLY b SET c = 1; DELETE FROM d USING e; TRUNCATE f', ['a', 'b', 'd', 'e', 'f']],
    ['a lock', 'LOCK TABLE chain IN SHARE MODE', ['chain']],
    ['several lines', 'SELECT\n FROM\n  accounts', ['accounts']],
    ['no row lock', 'SELECT FOR NO KEY UPDATE OF a', []],
  ] as const) {
    it(`are found in SQL: ${name}`, () => assert.deepEqual(namesIn(sql), expected));
  }

  it('are looked for in literals, whatever is nested in them, and not in comments', () => {
    const source = "// FROM a\nconst b = /'/; f('c', \"d\", `e $" + '{g(`h $' + "{'i'}`, { j: 1 })} k`); /* FROM l */";
    assert.deepEqual(literalsOf(source), ['c', 'd', 'e ? k', 'h ?', 'i']);
  });

  it('are refused to other modules', () => {
    assert.deepEqual(faultsOf('query(`SELECT FROM accounts`)'), []);
    assert.match(
      faultsOf('query(`SELECT FROM accounts JOIN users`)').join(),
      /queries users, which belongs to identity/,
    );
    assert.match(faultsOf("query('SELECT FROM ' + `FROM $" + '{table}`)').join(), /computes the name/);
  });

  it('have one owner, and no crossing is allowed in vain', () => {
    const allowed = { ...ROOMS, crossings: [{ path: 'src/ledger/accounts.ts', table: 'users', why: '' }] };
    assert.deepEqual(faultsOf("'FROM users'", allowed), []);
    assert.match(faultsOf('', allowed).join(), /need not be allowed/);
    assert.match(faultsOf('', { owners: { ledger: ['accounts'] }, crossings: [] }).join(), /users has no owner/);
    assert.match(
      faultsOf('', { owners: { ledger: ['accounts', 'users'], identity: ['users'] }, crossings: [] }).join(),
      /two owners/,
    );
    assert.match(
      faultsOf('', { owners: { ledger: ['accounts', 'users', 'shops'] }, crossings: [] }).join(),
      /shops has an owner, but does not exist/,
    );
  });
});

describe('operations of the API', () => {
  const idOf = (source: string) => [...source.matchAll(/operationId: '(\w+)'/g)].map(([, id]) => id!);
  const kebab = (id: string) => id.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

  it('have one file each, named by operationId, which exports its route alone', () => {
    const described = JSON.parse(readFileSync(join(root, 'docs/openapi.json'), 'utf8')) as {
      paths: Record<string, Record<string, { operationId: string }>>;
    };
    const ids = Object.values(described.paths).flatMap((path) => Object.values(path).map((o) => o.operationId));
    const found = [...readTree()].filter(([path]) => path.startsWith('src/api/operations/'));
    assert.deepEqual(
      found.map(([path, source]) => [path, idOf(source), exportsOf(source)]).sort(),
      ids.map((id) => [`src/api/operations/${kebab(id)}.ts`, [id], [`${id}Route`]]).sort(),
    );
  });
});

describe('exported names', () => {
  for (const [name, source, expected] of [
    ['values', 'export const a = 1;\nexport async function b() {}\nexport class C {}', ['a', 'b', 'C']],
    ['types', 'export type A = 1;\nexport interface B {}', ['A', 'B']],
    ['lists', 'export { a, type B, c as d };', ['a', 'B', 'd']],
    ['what is taken apart', "export const { a, b: c } = await import('p');", ['a', 'c']],
    ['nothing that is passed on', "export { a } from './a.ts';\nexport type { B } from 'p';", []],
    ['nothing within a file', 'function a() {}\n  export const b = 1;', []],
  ] as const) {
    it(`are found: ${name}`, () => assert.deepEqual(exportsOf(source), expected));
  }

  it('exist once in src/, and none is renamed', () => {
    const twins = findTwins(readTree());
    assert.ok(twins.length === 0, `\n${twins.join('\n')}\n`);
  });

  it('that exist twice are found, types and values together', () => {
    const twins = findTwins(
      new Map([
        ['src/a.ts', 'export type A = 1;'],
        ['src/b.ts', 'export const A = 1;\nexport const B = 1;'],
        ['test/c.ts', 'export const B = 1;'],
      ]),
    );
    assert.deepEqual(twins, ['A is exported by src/a.ts and src/b.ts.']);
  });

  it('that are renamed are found, but for those of packages', () => {
    const renamed = (statement: string) => findTwins(new Map([['src/x/a.ts', statement]]));
    assert.deepEqual(renamed("import { b as c } from '../y.ts';"), ['b is renamed to c in src/x/a.ts, from src/y.ts.']);
    assert.equal(renamed("import {\n  a,\n  type b as c,\n} from './y.ts';").length, 1);
    assert.equal(renamed("export { b as c } from './y.ts';\nconst d = 1;\nexport { d as e };").length, 2);
    assert.deepEqual(renamed("import { b as c } from 'pg';\nimport { d as e } from 'node:fs';"), []);
  });
});

describe('the code of a source', () => {
  it('is without comments and texts, and its places stay', () => {
    assert.equal(codeOf("a('b'); // c\n/* d\n */ `e`"), "a(' ');     \n    \n    ` `");
  });
});

describe('rows of the database', () => {
  const WRITES = /\b(INSERT INTO|DELETE FROM|TRUNCATE|UPDATE\s+[^\s;]+\s+SET)\b/;
  const KILL_POINTS = "names the program's statements, at which it is killed or cut off";
  const EXEMPT: Readonly<Record<string, string>> = {
    'test/crash/database-faults.test.ts': KILL_POINTS,
    'test/crash/kill-points-actions.test.ts': KILL_POINTS,
    'test/crash/kill-points-bulk.test.ts': KILL_POINTS,
    'test/crash/kill-points-cancelling.test.ts': KILL_POINTS,
    'test/crash/kill-points-first-start.test.ts': KILL_POINTS,
    'test/crash/kill-points-healing.deep.test.ts': KILL_POINTS,
    'test/crash/kill-points-healing.test.ts': KILL_POINTS,
    'test/crash/kill-points-merging.test.ts': KILL_POINTS,
    'test/crash/kill-points-rewards.test.ts': KILL_POINTS,
    'test/crash/kill-points-webhooks.test.ts': KILL_POINTS,
    'test/crash/kill-points.deep.test.ts': KILL_POINTS,
    'test/crash/kill-points.test.ts': KILL_POINTS,
    'test/crash/pay-file.test.ts': KILL_POINTS,
    'test/db/migration-of-people.test.ts': 'fills the tables of an older schema',
    'test/emulator/moved-columns.ts': 'fills copies that last a moment, to see the defaults',
    'test/properties/tables.ts': 'copies every table there is, by the names the database gives',
    'test/unit/architecture.test.ts': 'holds the examples below',
    'test/unit/releases.test.ts': 'holds migrations as examples',
    'test/unit/transactions.test.ts': 'sends nothing to a database',
  };

  it('are written in test/rows alone, but for what is exempt', () => {
    const writing = [...readTree()]
      .filter(([path, source]) => /^test\/(?!rows\/)/.test(path) && WRITES.test(source))
      .map(([path]) => path);
    assert.deepEqual(writing.sort(), Object.keys(EXEMPT).sort(), 'write rows through test/rows');
  });

  const isStatements = (specifier: string | null) => specifier?.endsWith('/rows/statements.ts') ?? false;

  it('have their columns named in test/rows alone', () => {
    const importing = [...readTree()]
      .filter(([path, source]) => !path.startsWith('test/rows/') && importsOf(source).some(isStatements))
      .map(([path]) => path);
    assert.deepEqual(importing, [], 'make a function of a file in test/rows for it');
  });

  for (const statement of [
    'INSERT INTO users (id)',
    'UPDATE users SET kind = $1',
    'UPDATE\n  users\n  SET kind = $1',
    'UPDATE $' + '{table} SET kind = $1',
    'DELETE FROM users',
    'TRUNCATE users',
  ]) {
    it(`are written by ${JSON.stringify(statement)}`, () => assert.match(statement, WRITES));
  }

  for (const statement of ['SELECT FROM users FOR NO KEY UPDATE', 'CREATE TRIGGER t BEFORE DELETE ON users']) {
    it(`are not written by ${JSON.stringify(statement)}`, () => assert.doesNotMatch(statement, WRITES));
  }
});
