/**
 * Applies migrations/ to an empty database and writes the resulting schema to migrations/schema.sql, so that a change of the
 * schema is easy to review. `--check` writes nothing and exits with 1 if the file differs.
 *
 * It reads the catalogs, because the embedded PostgreSQL has no pg_dump.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { startEmbeddedPostgres } from '../local/postgres/postgres.ts';
import { openDatabase, type Query } from '../src/db/database.ts';
import { migrate } from '../src/db/migrate.ts';

const root = resolve(import.meta.dirname, '..');
const target = resolve(root, 'migrations/schema.sql');

/** Objects of the public schema that are neither node-pg-migrate's own table nor part of an extension. */
const TABLES = `
  SELECT c.oid::text AS oid, c.relname AS name, array_to_string(c.reloptions, ', ') AS options
    FROM pg_class c
   WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname <> 'migrations'
   ORDER BY c.relname COLLATE "C"`;

const COLUMNS = `
  SELECT a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull AS required,
         a.attidentity::text AS identity, a.attgenerated::text AS generated, pg_get_expr(d.adbin, d.adrelid) AS value,
         CASE WHEN a.attcollation <> t.typcollation THEN quote_ident(l.collname) END AS collation
    FROM pg_attribute a
    JOIN pg_type t ON t.oid = a.atttypid
    LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    LEFT JOIN pg_collation l ON l.oid = a.attcollation
   WHERE a.attrelid = $1::text::oid AND a.attnum > 0 AND NOT a.attisdropped
   ORDER BY a.attnum`;

/** NOT NULL is written with its column ('n', a constraint of its own since PostgreSQL 18). */
const CONSTRAINTS = `
  SELECT conname AS name, pg_get_constraintdef(oid) AS definition
    FROM pg_constraint
   WHERE conrelid = $1::text::oid AND contype <> 'n'
   ORDER BY position(contype::text IN 'pufcx'), conname COLLATE "C"`;

const INDEXES = `
  SELECT pg_get_indexdef(i.indexrelid) AS definition
    FROM pg_index i
    JOIN pg_class c ON c.oid = i.indexrelid
   WHERE i.indrelid = $1::text::oid
     AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u', 'x'))
   ORDER BY c.relname COLLATE "C"`;

const TRIGGERS = `
  SELECT pg_get_triggerdef(oid) AS definition FROM pg_trigger
   WHERE tgrelid = $1::text::oid AND NOT tgisinternal ORDER BY tgname COLLATE "C"`;

const FUNCTIONS = `
  SELECT pg_get_functiondef(oid) AS definition FROM pg_proc
   WHERE pronamespace = 'public'::regnamespace AND prokind = 'f' ORDER BY proname COLLATE "C"`;

/** Kinds of objects that this file cannot write. It stops instead of leaving them out. */
const UNKNOWN = `
  SELECT relkind::text || ' ' || relname AS name FROM pg_class
   WHERE relnamespace = 'public'::regnamespace AND relkind NOT IN ('r', 'i', 'S')
  UNION ALL
  SELECT 'function ' || proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prokind <> 'f'
  UNION ALL
  SELECT 'type ' || typname FROM pg_type WHERE typnamespace = 'public'::regnamespace AND typtype IN ('e', 'd', 'r')`;

type Table = { oid: string; name: string; options: string | null };
type Column = {
  name: string;
  type: string;
  required: boolean;
  identity: string;
  generated: string;
  value: string | null;
  collation: string | null;
};

function describeColumn(column: Column): string {
  const words = [column.name, column.type];
  if (column.collation) words.push(`COLLATE ${column.collation}`);
  if (column.identity) words.push(`GENERATED ${column.identity === 'a' ? 'ALWAYS' : 'BY DEFAULT'} AS IDENTITY`);
  if (column.generated) words.push(`GENERATED ALWAYS AS (${column.value}) STORED`);
  else if (column.value) words.push(`DEFAULT ${column.value}`);
  if (column.required) words.push('NOT NULL');
  return words.join(' ');
}

async function describeTable(query: Query, table: Table): Promise<string> {
  const columns = await query<Column>(COLUMNS, [table.oid]);
  const constraints = await query<{ name: string; definition: string }>(CONSTRAINTS, [table.oid]);
  const indexes = await query<{ definition: string }>(INDEXES, [table.oid]);
  const triggers = await query<{ definition: string }>(TRIGGERS, [table.oid]);
  const lines = [
    ...columns.map(describeColumn),
    ...constraints.map(({ name, definition }) => `CONSTRAINT ${name} ${definition}`),
  ];
  const options = table.options ? ` WITH (${table.options})` : '';
  return [
    `CREATE TABLE ${table.name} (\n  ${lines.join(',\n  ')}\n)${options};`,
    ...[...indexes, ...triggers].map(({ definition }) => `${definition.replaceAll('public.', '')};`),
  ].join('\n');
}

async function describeSchema(query: Query): Promise<string> {
  const unknown = await query<{ name: string }>(UNKNOWN);
  if (unknown.length > 0) {
    throw new Error(`scripts/dump-schema.ts cannot write ${unknown.map(({ name }) => name).join(', ')} yet; teach it.`);
  }
  const parts: string[] = [];
  for (const table of await query<Table>(TABLES)) parts.push(await describeTable(query, table));
  for (const { definition } of await query<{ definition: string }>(FUNCTIONS)) {
    parts.push(`${definition.replaceAll('public.', '').trim()};`);
  }
  return `-- Generated from migrations/ by scripts/dump-schema.ts. Do not edit.\n\n${parts.join('\n\n')}\n`;
}

async function schemaOfMigrations(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'quarters-schema-'));
  try {
    const postgres = await startEmbeddedPostgres({ dataDir: folder, fast: true });
    try {
      await migrate(postgres.url);
      const database = openDatabase(postgres.url, { maxConnections: 1 });
      try {
        return await describeSchema(database.query);
      } finally {
        await database.close();
      }
    } finally {
      await postgres.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function onDisk(): string {
  try {
    return readFileSync(target, 'utf8');
  } catch {
    return '';
  }
}

try {
  const text = await schemaOfMigrations();
  if (!process.argv.includes('--check')) {
    writeFileSync(target, text);
  } else if (onDisk() !== text) {
    console.error(
      `${relative(root, target)} does not match the migrations; run \`npm run generate\` and commit the result.`,
    );
    process.exitCode = 1;
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
