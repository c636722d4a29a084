import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listen } from '../../src/http/listen.ts';
import { createMetricsServer } from '../../src/http/metrics.ts';
import { createApiSite } from '../../src/process/site.ts';
import { startTestService } from '../kit/service/service.ts';
import { atEnd } from '../kit/unit/at-end.ts';

const PROXY_HEADERS = [
  'x-forwarded-for x-forwarded-host x-forwarded-port x-forwarded-prefix x-forwarded-client-cert x-original-forwarded-for via cdn-loop',
  'x-real-ip client-ip x-client-ip x-cluster-client-ip true-client-ip cf-connecting-ip cf-ray fastly-client-ip fly-client-ip',
  'x-envoy-external-address x-envoy-attempt-count x-original-url x-appengine-user-ip x-amzn-trace-id x-amz-cf-id x-azure-clientip',
  'x-proxyuser-ip proxy-connection cloudfront-viewer-address',
].flatMap((names) => names.split(' '));

test('/metrics', async (t) => {
  const s = await startTestService(t);
  const served = async (metrics: 'local' | 'public' | 'off') => {
    const app = await createApiSite({ ...s.service, settings: { ...s.service.settings, metrics } });
    atEnd(t, () => app.close());
    return app;
  };
  const [local, open, off] = [await served('local'), await served('public'), await served('off')];
  const get = { method: 'GET', url: '/metrics' } as const;

  await t.test('/metrics shows the state of settlement in the format of Prometheus', async () => {
    const response = await fetch(`${s.origin}/metrics`);
    assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
    assert.equal(response.headers.get('cache-control'), 'no-store');
    const body = await response.text();
    for (const [name, value] of Object.entries({
      database_up: 1,
      database_writable: 1,
      chain_up: 1,
      chain_attached: 1,
      payments_suspended: 0,
      transfers_approved: 0,
      transfers_submitted: 0,
      transactions_signed: 0,
      transactions_sent: 0,
      relayers_held: 2,
      follower_lag_blocks: 0,
    })) {
      assert.match(body, new RegExp(`^# TYPE quarters_${name} gauge\nquarters_${name} ${value}$`, 'm'));
    }
    assert.match(body, /^quarters_posted_block [1-9]\d*$/m);
    assert.match(body, /^quarters_backlog \d+$/m);
    // There was no audit yet: a 0 would mean that one found no difference.
    assert.doesNotMatch(body, /quarters_audit/);
  });

  const elsewhere = [
    ['from another machine', { remoteAddress: '192.0.2.7' }],
    ['through a proxy on this machine', { headers: { 'x-forwarded-for': '192.0.2.7' } }],
    ['through a proxy that sends Forwarded', { headers: { forwarded: 'for=192.0.2.7' } }],
    ['from a page whose name resolves here', { headers: { host: 'rebound.example:8080' } }],
  ] as const;
  for (const [who, request] of elsewhere) {
    await t.test(`${who}, /metrics is 404 unless METRICS=public`, async () => {
      const refused = await local.inject({ ...get, ...request });
      assert.deepEqual([refused.statusCode, refused.json().code], [404, 'not-found']);
      assert.equal((await open.inject({ ...get, ...request })).statusCode, 200);
    });
  }

  for (const remoteAddress of ['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1']) {
    await t.test(`on this machine, by ${remoteAddress}, /metrics is served`, async () => {
      assert.equal((await local.inject({ ...get, remoteAddress })).statusCode, 200);
      assert.equal((await off.inject({ ...get, remoteAddress })).statusCode, 404);
    });
  }

  await t.test('a request with any header of a proxy gets 404', async () => {
    for (const name of PROXY_HEADERS) {
      assert.equal((await local.inject({ ...get, headers: { [name]: '' } })).statusCode, 404, name);
    }
  });

  await t.test('public metrics read the figures at most once a second', async (st) => {
    let now = performance.now();
    st.mock.method(performance, 'now', () => now);
    const { rpc, settings } = s.service;
    let looks = 0;
    const call = <Result>(...args: Parameters<typeof rpc.call>) => {
      looks++;
      return rpc.call<Result>(...args);
    };
    const service = { ...s.service, rpc: { ...rpc, call }, settings: { ...settings, metrics: 'public' as const } };
    const app = await createApiSite(service);
    atEnd(t, () => app.close());
    await Promise.all(Array.from({ length: 20 }, () => app.inject(get)));
    assert.equal(looks, 1);
    now += 1_000;
    assert.match((await app.inject(get)).body, /^quarters_chain_up 1$/m);
    assert.equal(looks, 2);
  });

  await t.test('the usual headers of a scraper on this machine are allowed', async () => {
    const headers = {
      accept: 'application/openmetrics-text;version=1.0.0;q=0.5,*/*;q=0.1',
      'accept-encoding': 'gzip',
      'user-agent': 'Prometheus/3.5.0',
      'x-prometheus-scrape-timeout-seconds': '10',
      authorization: 'Bearer x',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    };
    assert.equal((await local.inject({ ...get, headers })).statusCode, 200);
  });

  await t.test('/metrics refuses other methods', async () => {
    assert.equal((await local.inject({ ...get, method: 'POST' })).statusCode, 405);
  });

  await t.test('with METRICS_PORT, /metrics is served only there, by the same rule', async () => {
    const settings = { ...s.service.settings, metricsPort: 9, metrics: 'local' as const };
    const service = { ...s.service, settings };
    const [main, own, third] = [
      await createApiSite(service),
      await createMetricsServer(service),
      await createMetricsServer(service),
    ];
    for (const app of [main, own, third]) atEnd(t, () => app.close());
    assert.equal((await main.inject(get)).statusCode, 404);
    await listen(own, { host: 'localhost', port: 0, setting: 'METRICS_PORT' });
    const { port } = own.server.address() as { port: number };
    for (const host of ['localhost', '127.0.0.1']) {
      const answer = await fetch(`http://${host}:${port}/metrics`);
      assert.match(await answer.text(), /^quarters_database_up 1$/m);
    }
    assert.equal((await own.inject({ ...get, remoteAddress: '192.0.2.7' })).statusCode, 404);
    assert.equal((await own.inject('/healthz')).statusCode, 404);
    await assert.rejects(listen(third, { host: 'localhost', port, setting: 'METRICS_PORT' }), {
      message: `Port ${port} is in use: set METRICS_PORT to another one.`,
    });
  });

  await t.test('/metrics answers while the database and the chain are away', async () => {
    const gone = () => Promise.reject(new Error('gone'));
    const service = { ...s.service, db: { ...s.service.db, query: gone }, rpc: { ...s.service.rpc, call: gone } };
    const app = await createApiSite(service);
    atEnd(t, () => app.close());
    const { statusCode, body } = await app.inject(get);
    assert.equal(statusCode, 200);
    assert.match(body, /^quarters_database_up 0$/m);
    assert.match(body, /^quarters_chain_up 0$/m);
    assert.doesNotMatch(body, /transfers_approved|follower_lag|database_writable/);
  });
});
