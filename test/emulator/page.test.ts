import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { CONTROLS } from '../../local/emulator/control/controls.ts';

test('every button of the emulator’s page does what there is to do', () => {
  const page = readFileSync(new URL('../../local/emulator/page/page.html', import.meta.url), 'utf8');
  const buttons = [...page.matchAll(/data-(post|delete)="([^"]+)"(?: data-body='([^']+)')?/g)];
  assert.ok(buttons.length > 20);
  for (const [, verb = '', path, body = '{}'] of buttons) {
    const control = CONTROLS.find((one) => one.method === verb.toUpperCase() && one.path === `/${path}`);
    assert.ok(control, `${verb} ${path}`);
    const fits = new Ajv2020({ strict: false }).compile(control.input ?? { maxProperties: 0 });
    assert.ok(fits(JSON.parse(body)), `${verb} ${path} ${body}`);
  }
});
