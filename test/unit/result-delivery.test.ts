import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withResponseMode } from '../../src/pages/oauth/authorize.ts';
import { resultTargets } from '../../src/web/result-delivery.ts';

test('a result is posted only to the app’s result origins or frame ancestors', () => {
  const frameAncestors = ['https://game.example'];
  const cases: [string[], string[]][] = [
    [[], ['https://game.example']],
    [
      ['https://www.game.example', 'https://m.game.example'],
      ['https://www.game.example', 'https://m.game.example'],
    ],
    [
      ['app:', 'capacitor:', 'file:'],
      ['app://localhost', 'capacitor://localhost'],
    ],
    [['file:'], []],
  ];
  for (const [resultOrigins, targets] of cases) {
    assert.deepEqual(resultTargets({ resultOrigins, frameAncestors }), targets);
  }
});

test('the response mode follows from the parameters a client sends', () => {
  const one = ['https://game.example/'];
  const two = [...one, 'com.acme.game://'];
  const way = (query: string, redirectUris: string[]) =>
    String(withResponseMode(new URLSearchParams(query), { redirectUris }));
  const page = (redirectUri: string) =>
    new URLSearchParams({ response_mode: 'quarters_page', redirect_uri: redirectUri }).toString();
  const nowhere = page('urn:quarters:no-redirect');
  const cases: [string, string[], string][] = [
    // Existing clients: a frame, a popup, a redirect.
    ['frame_id=f', one, `frame_id=f&${nowhere}`],
    ['', one, page(one[0]!)],
    ['', two, nowhere],
    ['', [], nowhere],
    ['redirect_uri=com.acme.game://', two, 'redirect_uri=com.acme.game%3A%2F%2F&response_mode=quarters_redirect'],
    // A parameter without a value counts as absent.
    ['redirect_uri&frame_id=&state=', two, nowhere],
    // Other clients keep their mode.
    ['state=s', one, 'state=s'],
    ['nonce=n', one, 'nonce=n'],
    ['code_challenge=c', two, 'code_challenge=c'],
    ['response_mode=query', one, 'response_mode=query'],
    ['redirect_uri=a%3Ab&state=s', one, 'redirect_uri=a%3Ab&state=s'],
    // Repeated parameters stay: the provider refuses them.
    ['state=s&state=t', one, 'state=s&state=t'],
    // In a frame they get a message too.
    ['state=s&frame_id=f', one, `state=s&frame_id=f&${nowhere}`],
    ['state=s&opened_by=frame', one, `state=s&opened_by=frame&${nowhere}`],
    [
      'state=s&opened_by=frame&redirect_uri=a%3Ab',
      one,
      'state=s&opened_by=frame&redirect_uri=a%3Ab&response_mode=quarters_page',
    ],
  ];
  for (const [query, redirectUris, expected] of cases) assert.equal(way(query, redirectUris), expected, query);
});
