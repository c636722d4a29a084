import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSettings, startFaults } from '../../src/config/read-settings.ts';

const PLAYERS = { PUBLIC_URL: 'https://quarters.example', DATABASE_URL: 'postgres://db/quarters' };

test('a public service does not start without a mail server, unless the setting allows it', () => {
  const faultsOf = (env: Record<string, string>) => startFaults(readSettings(env));
  const [fault = '', ...others] = faultsOf(PLAYERS);
  assert.match(fault, /^SMTP_URL is not set, .*MAIL_WITHOUT_SMTP=on$/);
  assert.deepEqual(others, []);
  for (const env of [
    {},
    { PUBLIC_URL: PLAYERS.PUBLIC_URL },
    { DATABASE_URL: PLAYERS.DATABASE_URL },
    { ...PLAYERS, PUBLIC_URL: 'http://localhost:8080' },
    { ...PLAYERS, SMTP_URL: 'smtp://mail.example:587' },
    { ...PLAYERS, MAIL_WITHOUT_SMTP: 'on' },
  ]) {
    assert.deepEqual(faultsOf(env), [], JSON.stringify(env));
  }
});
