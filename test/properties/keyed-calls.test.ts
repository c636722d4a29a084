import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';

import { join, resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import type { Command } from 'commander';
import { buildProgram } from '../../src/cli/run.ts';
import { ACTION_KINDS } from '../../src/features/operator-actions/kinds.ts';
import { houseWith } from '../kit/service/house.ts';
import { KEYED_CALLS, NOTHING_TO_LOSE } from './keyed-calls.ts';

const repository = resolve(import.meta.dirname, '../..');

type Operation = { readonly operationId: string; readonly parameters?: readonly { readonly $ref?: string }[] };

/** The operations of the API's description that take an Idempotency-Key. */
function keyedOperations(): string[] {
  const { paths } = JSON.parse(readFileSync(join(repository, 'docs/openapi.json'), 'utf8')) as {
    paths: Record<string, Record<string, Operation>>;
  };
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  return operations
    .filter((operation) => JSON.stringify(operation.parameters ?? []).includes('IdempotencyKey'))
    .map(({ operationId }) => operationId);
}

/** The commands that take a key, or the name of a batch. */
async function keyedCommands(): Promise<string[]> {
  const stream = new PassThrough();
  const nothing = { start: async () => {}, migrate: async () => ({ applied: [] }), connect: () => assert.fail() };
  const walk = (command: Command, path: string): string[] => [
    ...command.options.flatMap(({ long }) => (long === '--key' || long === '--batch' ? [`${path} ${long}`] : [])),
    ...command.commands.flatMap((below) => walk(below, `${path} ${below.name()}`)),
  ];
  return walk(
    await buildProgram({ ...nothing, house: () => houseWith('all'), out: stream, err: stream }, () => {}),
    'quarters',
  );
}

/** The modules that make a key of something which a page or a command has sent: forms, files, actions. */
function keyMakers(): string[] {
  const source = join(repository, 'src');
  return globSync('{,wings/*/}features/**/*.ts', { cwd: source }).filter((file) =>
    /\b(idempotencyKey|lastingKey)\(/.test(readFileSync(join(source, file), 'utf8')),
  );
}

test('every call with a key is one that the model makes and repeats, or one that makes nothing which can be lost', async () => {
  const all = [
    ...keyedOperations(),
    ...(await keyedCommands()),
    ...keyMakers(),
    ...[...ACTION_KINDS.values()].filter(({ pays }) => pays).map(({ name }) => `action ${name}`),
  ];
  const placed = [...Object.values(KEYED_CALLS).flatMap(({ covers }) => covers), ...Object.keys(NOTHING_TO_LOSE)];
  assert.deepEqual([...new Set(placed)].sort(), all.sort());
  assert.equal(new Set(Object.keys(NOTHING_TO_LOSE)).size + countCovered(), new Set(placed).size);
});

/** No call is in both tables. */
function countCovered(): number {
  return new Set(Object.values(KEYED_CALLS).flatMap(({ covers }) => covers)).size;
}
