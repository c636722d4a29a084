import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startScenario } from '../kit/service/scenario.ts';
import { until } from '../kit/unit/until.ts';
import { codeOf, sentBy, setCode, untilReadyz } from './attachment.ts';

const WINDOW = 10;

test('a token that does nothing is trusted later each time, and transfers are paid once it works again', async (t) => {
  const s = await startScenario(t, { env: { IN_FLIGHT_WINDOW: `${WINDOW}` } });
  const { token } = s.service.chain.contracts;
  const code = await codeOf(s.faulty.evm, token);
  // Code that returns the domain separator when asked for it, and otherwise stops.
  const words = `0x5f3560e01c633644e51514600f57005b7f${s.service.chain.domain.slice(2)}5f5260205ff3`;
  const before = await sentBy(s);
  await setCode(s.faulty.evm, token, words);
  const paid = await Promise.all(Array.from({ length: 60 }, (_, i) => s.pay(i % 3, i + 1)));
  const alarms = () => s.logged.filter(({ message }) => /succeed and do nothing/.test(message)).length;
  await until(
    'it was trusted twice and had no effect',
    () => alarms() >= 3 && s.service.readiness.chain === 'no-effect',
  );
  await untilReadyz(s, 503, 'no-effect');
  const inVain = (await sentBy(s)) - before;
  assert.ok(inVain <= 2 * WINDOW * alarms(), `${inVain} transactions without effect`);
  await setCode(s.faulty.evm, token, code);
  await s.completed(...paid);
  await s.prove();
});
