import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { test } from 'node:test';
import { openTracing } from '../../src/process/tracing.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { until } from '../kit/unit/until.ts';

type SentSpan = { traceId: string; spanId: string; parentSpanId?: string; name: string; status?: { code?: number } };
type Sent = { resourceSpans: { scopeSpans: { spans: SentSpan[] }[] }[] };

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

test('a payment can be followed in traces, from its call to the block that pays it', async (t) => {
  const spans: SentSpan[] = [];
  let authorization: string | undefined;
  const collector = createServer(async (request, response) => {
    authorization = request.headers.authorization;
    const { resourceSpans } = (await json(request)) as Sent;
    spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
    response.end('{}');
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  atEnd(t, () => collector.close());
  const { port } = collector.address() as { port: number };
  const s = await sharedService(t);
  const app = await s.createApp();
  await s.issue(app.id, 100);
  const guest = await s.createGuest(app);

  const posted = () => s.service.meters.settled.get('completed')!.count;
  const before = posted();
  const tracing = await openTracing({
    traceEndpoint: `http://127.0.0.1:${port}`,
    traceHeaders: { authorization: 'Bearer collector' },
    traceServiceName: 'quarters',
    traceRatio: 1,
  });
  const answer = await fetch(`${s.origin}/v1/accounts/${app.address}/transfer`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${app.serverKey}`,
      'content-type': 'application/json',
      traceparent: TRACEPARENT,
    },
    body: JSON.stringify({ user: guest.userId, amount: 7 }),
  });
  assert.equal(answer.status, 200);
  await answer.text();
  await until('the payment is posted', () => posted() > before);
  await tracing!.close();

  const named = (name: string) => spans.filter((span) => span.name === name);
  const [call] = named('POST /v1/accounts/:address/transfer');
  assert.equal(call?.traceId, '0af7651916cd43dd8448eb211c80319c');
  assert.equal(call.parentSpanId, 'b7ad6b7169203331');
  const accepting = named('accept').find(({ traceId }) => traceId === call.traceId);
  assert.equal(accepting?.parentSpanId, call.spanId);
  // One group accepts many calls' payments, so it has a trace of its own, with the transaction.
  const [group] = named('accept group');
  assert.ok(group && group.traceId !== call.traceId);
  assert.ok(named('transaction').some(({ parentSpanId }) => parentSpanId === group.spanId));
  const [broadcast] = named('broadcast');
  assert.ok(named('rpc eth_sendRawTransaction').some(({ parentSpanId }) => parentSpanId === broadcast?.spanId));
  assert.ok(named('post logs').length > 0);
  assert.equal(authorization, 'Bearer collector');

  const sent = spans.length;
  assert.equal((await fetch(`${s.origin}/v1/me`)).status, 401);
  assert.equal(spans.length, sent);
});

test('without a collector nothing is traced, and nothing is loaded', async () => {
  const none = { traceEndpoint: undefined, traceHeaders: {}, traceServiceName: 'quarters', traceRatio: 1 };
  assert.equal(await openTracing(none), null);
});
