import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalOrigin, canonicalRedirectUri } from '../../src/base/redirect-uri.ts';
import { findRedirectUri, redirectUriFault } from '../../src/identity/app-addresses.ts';
import { runsOf } from '../kit/run/runs.ts';

test('only scheme, host and port of a redirect address are normalised, as browsers do', () => {
  for (const [typed, stored] of [
    ['HTTPS://Game.Example/Back?To=A', 'https://game.example/Back?To=A'],
    ['https://game.example:443', 'https://game.example'],
    ['http://LOCALHOST:80/cb', 'http://localhost/cb'],
    ['http://127.0.0.1:8080/%7Ea/%2fB', 'http://127.0.0.1:8080/%7Ea/%2fB'],
    ['https://bücher.example/ü', 'https://xn--bcher-kva.example/ü'],
    ['https://game.example./', 'https://game.example./'],
    ['Com.Acme.Game://Back/To?A', 'com.acme.game://Back/To?A'],
    ['com.acme.game:', 'com.acme.game:'],
    // A browser would have to repair these.
    ['HTTPS:game.example/', 'HTTPS:game.example/'],
    ['HTTPS:\\\\game.example/', 'HTTPS:\\\\game.example/'],
    ['HTTPS://me@game.example/', 'HTTPS://me@game.example/'],
    ['HTTPS://game.ex\tample/', 'HTTPS://game.ex\tample/'],
    ['HTTPS://game.example:99999/', 'HTTPS://game.example:99999/'],
    ['Nothing', 'Nothing'],
  ]) {
    assert.equal(canonicalRedirectUri(typed!), stored);
    assert.equal(canonicalRedirectUri(stored!), stored);
  }
  assert.equal(canonicalOrigin('HTTPS://Game.example:443'), 'https://game.example');
  assert.equal(canonicalOrigin('Capacitor:'), 'capacitor:');
  for (const other of ['https://Game.example/', 'https://*.Example/x', 'Null', 'Com.acme:']) {
    assert.equal(canonicalOrigin(other), other);
  }
});

test('an address that browsers rewrite cannot be registered', () => {
  for (const uri of [
    'https://game.example/a/../b',
    'https://game.example/.',
    'https://game.example/%2E%2e/b',
    'com.acme.game://x/./y',
    'https:/game.example/',
    'https:game.example',
    'https:///game.example/',
    'https://game.example\\back',
    'https://@game.example/',
  ]) {
    assert.notEqual(redirectUriFault(uri), null, uri);
  }
  for (const uri of ['https://game.example/..a/...?b=/../', 'com.acme.game:/back', 'https://game.example/a@b']) {
    assert.equal(redirectUriFault(uri), null, uri);
  }
});

/** Pieces that URL parsers treat specially, in any order: they make addresses that are nearly the same. */
const piece = fc.constantFrom(
  ...[
    'http',
    'https',
    'HTTPS',
    'com.acme',
    'Com.Acme',
    ':',
    '://',
    '//',
    '/',
    '\\',
    '?',
    '#',
    '@',
    '.',
    '..',
    '%2e',
    '%2F',
    '%41',
  ],
  ...[
    'a',
    'A',
    'game.example',
    'GAME.example',
    'gamE.example',
    'xn--a',
    'ü',
    'Ü',
    'ß',
    'ſ',
    'K',
    '127.1',
    '0x7f.1',
    '127.0.0.1',
    '[::1]',
  ],
  ...[':443', ':80', ':0443', ':8080', ' ', '\t', '\n', '\u00ad', '\u2028', '%00', '\ud800', '。', 'b'],
);
const made = fc.array(piece, { maxLength: 7 }).map((pieces) => pieces.join(''));
const begun = fc
  .tuple(fc.constantFrom('https://', 'HTTPS://', 'http://', 'com.acme://', 'COM.acme://', 'https:', ''), made)
  .map((parts) => parts.join(''));
/** The same address in other case, or with parts that a parser may drop. */
const alike = begun.chain((uri) =>
  fc.tuple(
    fc.constant(uri),
    fc.oneof(
      begun,
      fc.constantFrom(uri.toUpperCase(), uri.toLowerCase(), uri.normalize('NFKC'), `${uri}/`, ` ${uri}`),
      fc.nat(uri.length).map((at) => uri.slice(0, at) + uri.slice(at).toUpperCase()),
      fc.tuple(fc.nat(uri.length), piece).map(([at, more]) => uri.slice(0, at) + more + uri.slice(at)),
    ),
  ),
);

/** Any port of a loopback address leads to the installed game (RFC 8252, section 7.3). */
const place = (uri: string) => destination(uri).replace(/^(http:\/\/(?:127\.0\.0\.1|\[::1\])):\d+(?=\/)/, '$1');

/** The address a browser goes to. For a private-use scheme, the app gets the text itself. */
function destination(uri: string): string {
  const url = URL.parse(uri);
  if (url && /^https?:$/.test(url.protocol)) return url.href;
  return uri.replace(/^[a-z][a-z0-9+.-]*:/i, (scheme) => scheme.toLowerCase());
}

test('addresses that lead to different places never count as equal', () => {
  const { parameters } = runsOf({ usual: 5_000, all: 200_000 });
  let [equal, different] = [0, 0];
  fc.assert(
    fc.property(alike, ([one, other]) => {
      assert.equal(destination(canonicalRedirectUri(one)), destination(one));
      assert.equal(canonicalRedirectUri(canonicalRedirectUri(one)), canonicalRedirectUri(one));
      const found = findRedirectUri([one], other);
      if (found === null) {
        different += 1;
        return;
      }
      equal += 1;
      assert.equal(place(other), place(one));
      assert.equal(place(found), place(one));
      // They are the same text except for the case of scheme and host.
      const rest = (uri: string) => /^[^:]*:(?:\/\/[^/?#]*)?(.*)$/s.exec(uri)?.[1] ?? uri;
      if (/^https?:\/\//i.test(one)) assert.equal(rest(other), rest(one));
    }),
    parameters,
  );
  assert.ok(equal > 100 && different > 100, `${equal} equal, ${different} different`);
});
