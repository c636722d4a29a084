import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lookUpApp } from '../../src/identity/apps.ts';
import { createOperator } from '../kit/service/operator.ts';
import { enableAutoApproval } from '../kit/service/operator-acts.ts';
import { startTestService } from '../kit/service/service.ts';
import { visit } from '../kit/service/visits.ts';

test('with DEFAULT_CONSENT=box, players tick a box in every app for which nobody says otherwise', async (t) => {
  const s = await startTestService(t, { env: { DEFAULT_CONSENT: 'box' } });
  const { service } = s;
  const operator = await createOperator(s);
  const consentOf = async (id: string) => (await lookUpApp(service.db, id as never))?.autoApproveConsent;
  const preselected = async (id: string) =>
    /<option value="(\w+)" selected/.exec((await visit(s, operator, `/operator/apps/${id}`)).body)?.[1];

  const enabled = await s.createApp({ autoApprove: true });
  assert.equal(await consentOf(enabled.id), 'box');

  const app = await s.createApp();
  assert.equal(await preselected(app.id), 'box');
  await enableAutoApproval(service, app.id);
  assert.equal(await consentOf(app.id), 'box');

  // An operator may choose otherwise for one app, and changing its limits leaves that as it is.
  await enableAutoApproval(service, app.id, 'approval');
  assert.equal(await preselected(app.id), 'approval');
  await enableAutoApproval(service, app.id);
  assert.equal(await consentOf(app.id), 'approval');
});
