import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CONTROLS } from '../../local/emulator/control/controls.ts';
import { BASE } from '../../local/emulator/control/description.ts';
import { call } from '../kit/service/call.ts';
import { sharedService } from '../kit/service/shared-service.ts';

test('a service for players has no route that controls an emulator', async (t) => {
  const { app } = await sharedService(t);
  for (const { method, path } of [...CONTROLS, { method: 'GET', path: '/openapi.json' }]) {
    const answer = await call(app, `${method} ${BASE}${path.replaceAll(/\{\w+\}/g, 'x')}`, { token: 'any' });
    assert.equal(answer.statusCode, 404, `${method} ${path}`);
  }
});
