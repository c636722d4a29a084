import assert from 'node:assert/strict';
import { test } from 'node:test';
import { replaceIndexPlaceholders } from '../../src/settlement/tables/block-index.ts';
import { startTestService } from '../kit/service/service.ts';
import { interruptSummaries, pagesReadFor, spreadTransfers } from '../rows/block-index.ts';

const ROWS = 8_000;
/** Two ranges of pages. */
const USUAL = 64;
const MOST_TRIES = 50;

test('a search by block reads few pages again after PostgreSQL was cancelled while it summarized them', async (t) => {
  const { db } = (await startTestService(t)).service;
  await spreadTransfers(db, ROWS);
  assert.ok((await pagesReadFor(db, ROWS)) <= USUAL);

  // It may be cancelled between two ranges.
  for (let tries = 0; (await pagesReadFor(db, ROWS)) <= USUAL; tries++) {
    assert.ok(tries < MOST_TRIES, 'PostgreSQL leaves no placeholder: it may be mended, and this code may go');
    await interruptSummaries(db);
  }

  assert.equal(await replaceIndexPlaceholders(db, USUAL), 1);
  for (const block of [1, ROWS / 2, ROWS]) assert.ok((await pagesReadFor(db, block)) <= USUAL, `block ${block}`);
  assert.equal(await replaceIndexPlaceholders(db, USUAL), 0);
});
