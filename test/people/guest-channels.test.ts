import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call } from '../kit/service/call.ts';
import { BACK, convert, createGame, guestPath, newEmail, open, redeem } from '../kit/service/conversion.ts';
import { startTestService } from '../kit/service/service.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { behindProxy } from '../kit/service/with-password.ts';

const FRAMED = { 'sec-fetch-dest': 'iframe', 'sec-fetch-site': 'same-origin' };
const ANCESTOR = 'https://portal.example';

test('how a game opens the guest page and gets its code', async (t) => {
  const service = await sharedService(t, behindProxy);
  const game = await createGame(service, { frameAncestors: [ANCESTOR] });

  await t.test('the guest page accepts the addresses that existing clients write', async () => {
    const mobile = await createGame(service, { redirectUris: [BACK, 'com.acme.game://'] });
    const guest = await service.createGuest(mobile);
    const garbled = `/guest?token=${guest.accessToken}&client_id=${mobile.id}&redirect_uri=com.acme.game://&inline=trueresponse_type=code`;
    const done = await convert(service, garbled);
    assert.match(done.headers.location!, /^com\.acme\.game:\/\/\?success=true&code=[\w-]{43}$/);
    const code = done.headers.location!.split('code=')[1]!;
    assert.equal((await redeem(service, mobile, code)).status, 200);

    const otherCase = guestPath(mobile, await service.createGuest(mobile), { redirect_uri: 'COM.acme.game://' });
    assert.match((await convert(service, otherCase)).headers.location!, /^com\.acme\.game:\/\/\?success=true&code=/);

    const empty = `${guestPath(game, await service.createGuest(game))}&redirect_uri&state&frame_id&code_challenge=`;
    assert.match(
      (await convert(service, empty)).headers.location!,
      /^https:\/\/game\.example\/back\?success=true&code=[\w-]{43}$/,
    );
  });

  await t.test('without a redirect address the page delivers the code, and a frame signs nobody in', async () => {
    const none = await createGame(service, { redirectUris: [], frameAncestors: [ANCESTOR] });
    const guest = await service.createGuest(none);
    const done = await convert(service, guestPath(none, guest, { frame_id: 'f"1', state: 's' }), newEmail(), FRAMED);
    assert.equal(done.statusCode, 200);
    assert.deepEqual(done.cookies, []);
    assert.match(
      done.body,
      /data-result="\{&quot;code&quot;:&quot;[\w-]{43}&quot;,&quot;success&quot;:true,&quot;state&quot;:&quot;s&quot;\}"/,
    );
    assert.match(done.body, /data-frame-id="f&quot;1"/);
    assert.match(
      String(done.headers['content-security-policy']),
      /script-src 'self'.*frame-ancestors https:\/\/portal\.example$/,
    );
    const code = /code&quot;:&quot;([\w-]{43})/.exec(done.body)![1]!;
    assert.equal((await redeem(service, none, code)).status, 200);
  });

  await t.test('in a frame the page delivers the code itself, unless the redirect address is named', async () => {
    for (const [more, headers, status] of [
      [{}, FRAMED, 200],
      [{ frame_id: 'f' }, {}, 200],
      [{ redirect_uri: BACK }, FRAMED, 303],
      [{}, {}, 303],
    ] as const) {
      const done = await convert(service, guestPath(game, await service.createGuest(game), more), newEmail(), headers);
      assert.equal(done.statusCode, status);
      const set = done.cookies.map(({ name }) => name.replace(/_\d+$/, ''));
      assert.deepEqual(set, headers === FRAMED ? [] : ['quarters', 'quarters_browser']);
    }
  });

  await t.test('the guest page follows the configured sign-up path', async (t) => {
    const moved = await startTestService(t, { env: { SIGNUP_PATH: '/join', TRUST_PROXY: '1' } });
    const app = await createGame(moved);
    const guest = await moved.createGuest(app);
    const page = await open(moved, `/join${guestPath(app, guest)}`);
    assert.equal(page.statusCode, 200);
    assert.match(page.body, /action="\/join\/guest\/email"/);
    assert.equal((await call(moved.app, `GET ${guestPath(app, guest)}`)).statusCode, 404);
  });
});
