import { html, json, lost, problem } from './flaky-server.ts';

/** What two tries of a payment can meet, so that nobody knows whether it was done. Each client library has to say so. */
export const UNKNOWN_OUTCOMES: Readonly<Record<string, (typeof lost)[]>> = {
  'a page in place of an answer': [html(200)],
  'a gateway that gave up': [html(504)],
  'a gateway in JSON': [json({ code: 'unavailable', error: 'Bad Gateway', message: 'Sorry.' }, 502)],
  'lost, then put off': [lost, problem(503, 'database-unavailable')],
  'lost, then too many calls': [lost, problem(429, 'rate-limited')],
  'a gateway, then a fault': [html(502), problem(500, 'internal')],
  'decided or not, then busy': [problem(503, 'outcome-unknown'), problem(503, 'overloaded')],
  'a fault of the service': [problem(500, 'internal')],
  'a fault, then busy': [problem(500, 'internal'), problem(503, 'overloaded')],
  'no chain': [problem(503, 'chain-unavailable')],
  'a fault of tomorrow': [problem(507, 'moon-unavailable')],
  ...Object.fromEntries(
    ['token-missing', 'token-invalid', 'token-expired'].map((code) => [
      `lost, then ${code}`,
      [lost, problem(401, code)],
    ]),
  ),
  'lost, then a key that may not': [lost, problem(403, 'insufficient-scope')],
  'a fault, then the wrong credential': [problem(500, 'internal'), problem(403, 'credential-not-allowed')],
};
