import { test } from 'node:test';
import { openDatabase } from '../../src/db/database.ts';
import { createDatabase } from '../kit/service/database.ts';
import { upgradeUnderLoad, WITHOUT_HISTORY } from '../kit/service/upgrade.ts';
import { setUsualStyles } from './usual-styles.ts';

test('a release that does not roll takes over payments of the one before, and pays none again', {
  skip: WITHOUT_HISTORY,
}, async (t) => {
  const url = await createDatabase(t, 'template0');
  const db = openDatabase(url);
  await setUsualStyles(db);
  await db.close();
  await upgradeUnderLoad(t, url);
});
