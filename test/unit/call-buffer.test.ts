import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type AppId, newAppId, newCallId } from '../../src/base/ids.ts';
import { openCallBuffer } from '../../src/wings/call-log/store/call-buffer.ts';

const BOUNDS = { ofApp: 5, rows: 8, counts: 6 };

/** A buffer with small bounds, and what records a call in it. */
function smallBuffer() {
  const buffer = openCallBuffer(BOUNDS);
  const record = (appId: AppId, status: number | null, idempotencyKey: string | null = null) =>
    buffer.record({ appId, status, code: status !== null && status >= 400 ? 'not-found' : null }, () => ({
      id: newCallId(),
      milliseconds: 1,
      method: 'GET',
      route: '/v1/me',
      fields: null,
      keyId: null,
      userId: null,
      idempotencyKey,
      paymentId: null,
      about: null,
    }));
  return { buffer, record };
}

const statusesOf = (calls: readonly { status: number | null }[]) => calls.map(({ status }) => status).sort();

describe('the calls that wait to be logged', () => {
  it('are all counted, while only so many rows of an app are kept', () => {
    const { buffer, record } = smallBuffer();
    const [busy, calm] = [newAppId(), newAppId()];
    for (let i = 0; i < 1_000; i++) record(busy, 200);
    record(calm, 200);
    const { calls, counts } = buffer.take()!;
    assert.deepEqual(
      [busy, calm].map((app) => calls.filter(({ appId }) => appId === app).length),
      [5, 1],
    );
    assert.deepEqual(
      counts.map(({ appId, status, code, calls }) => [appId, status, code, calls]),
      [
        [busy, 200, '', 1_000],
        [calm, 200, '', 1],
      ],
    );
    assert.equal(buffer.dropped, 995);
    assert.equal(buffer.take(), null);
  });

  it('keep refusals before successes, in the bound of the app and in that of all apps', () => {
    const { buffer, record } = smallBuffer();
    const [app, other] = [newAppId(), newAppId()];
    for (const status of [404, 200, 200, 200, 200, 200, 404, 500, null, 404, 404, 404]) record(app, status);
    for (const status of [200, 200, 200, 200, 404]) record(other, status);
    const { calls, counts } = buffer.take()!;
    assert.deepEqual(statusesOf(calls.filter(({ appId }) => appId === app)), [404, 404, 404, 500, null]);
    assert.deepEqual(statusesOf(calls.filter(({ appId }) => appId === other)), [200, 200, 404]);
    assert.equal(
      counts.reduce((sum, { calls }) => sum + calls, 0),
      17,
    );
    assert.equal(buffer.dropped, 17 - calls.length);
  });

  it('hold 8 digits of a hash in place of an Idempotency-Key', () => {
    const { buffer, record } = smallBuffer();
    record(newAppId(), 200, 'order 7');
    const [kept] = buffer.take()!.calls;
    // printf 'order 7' | sha256sum
    assert.equal(kept!.idempotency, '0fc89f8a');
    assert.doesNotMatch(JSON.stringify(kept), /order 7/);
  });

  it('take up counts again that could not be written, up to a bound', () => {
    const { buffer, record } = smallBuffer();
    const app = newAppId();
    record(app, 200);
    buffer.putBack(buffer.take()!.counts);
    record(app, 200);
    for (let i = 0; i < 20; i++) record(newAppId(), 200);
    const { counts } = buffer.take()!;
    assert.deepEqual([counts[0]!.calls, counts.length], [2, BOUNDS.counts]);
  });
});
