// Opens our pages for a game and returns what the player did there. Served as /quarters.js (window.Quarters) and as
// /quarters.mjs (import): src/pages/browser-script.ts, which adds `languages`, `fallback`, `css` and quarters-frame.js. Its interface is in quarters.d.ts.

// A page with `Cross-Origin-Opener-Policy: same-origin` loses the windows it opens: they look closed, and cannot tell it anything. Only with
// an embedder policy it can know that before it has opened one.
let losesWindows = window.crossOriginIsolated;

// biome-ignore lint/correctness/noUnusedVariables: browser-script.ts calls it
function quarters(approvalBase, signUpBase) {
  async function approve({ requestId, pageToken, clientId, redirectUri, proof, approvalUrl = approvalBase, ...where }) {
    const result = await openPage(approvalUrl, { mode: 'iframe', title: 'approve', ...where }, async () => ({
      path: `/requests/${encodeURIComponent(await requestId)}`,
      client_id: clientId,
      firebase_token: await pageToken,
      redirect_uri: redirectUri,
      proof,
    }));
    // In a separate task, so that an error in the page's function changes nothing here.
    if (typeof window.onServiceCallback === 'function') queueMicrotask(() => window.onServiceCallback(result));
    return succeeded(result, 'txId');
  }

  async function signUpGuest({ clientId, token, redirectUri, state, codeChallenge, signUpUrl = signUpBase, ...where }) {
    const result = await openPage(signUpUrl, { mode: 'popup', title: 'signUp', ...where }, async () => ({
      path: '/guest',
      inline: true,
      response_type: 'code',
      client_id: clientId,
      token: await token,
      redirect_uri: redirectUri,
      state,
      code_challenge: await codeChallenge,
      code_challenge_method: (await codeChallenge) && 'S256',
    }));
    return { code: succeeded(result, 'code').code };
  }

  return { approve, signUpGuest, QuartersError };
}

class QuartersError extends Error {
  constructor(code, message, more) {
    super(message);
    Object.assign(this, { name: 'QuartersError', code }, more);
  }
}

function succeeded(result, wanted) {
  if (result[wanted]) return result;
  const { requestId, proof, reason } = result;
  if (result.cancel) throw new QuartersError('declined', 'The player declined.', { proof });
  throw new QuartersError('failed', String(result.error ?? 'The payment page failed.'), { requestId, proof, reason });
}

// As our pages choose their language. What is thrown is for developers, and in English.
function wordsIn(locale) {
  for (const range of [locale, ...(navigator.languages ?? [])]) {
    const words = languages[range?.split('-', 1)[0].toLowerCase()];
    if (words) return words;
  }
  return languages[fallback];
}

function openPage(base, { mode, container, title, locale }, parameters) {
  const { origin } = new URL(base);
  const frameId = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16)).join('');
  const address = async () => {
    const { path, ...query } = { ...(await parameters()), locale };
    const url = new URL(base + path);
    // Our pages deliver to a named address. In every other mode the game waits for a message.
    if (mode !== 'redirect') Object.assign(query, { inline: true, frame_id: frameId, redirect_uri: undefined });
    for (const [name, value] of Object.entries(query)) if (value) url.searchParams.set(name, value);
    return url.href;
  };
  return new Promise((resolve, reject) => {
    const found = address();
    if (mode === 'redirect') return found.then((url) => location.assign(url), reject);
    let end = (reason) => settle(reject, new QuartersError('closed', 'The player closed the page.', { reason }));
    const closed = (reason) => end(reason);
    const go = () => void found.then((url) => place.go(url)).catch(() => {});
    let place;
    const openFrame = () => {
      place = new FramePlace(container, wordsIn(locale), title, closed);
      go();
    };
    // Within the player's click, because a browser blocks a window that opens later.
    if (mode === 'popup' && !losesWindows) place = openPopup(`${origin}/window#${frameId}`, go, closed, openFrame);
    else openFrame();
    if (!place) {
      found.catch(() => {});
      return reject(new QuartersError('blocked', 'The browser blocked the window.', { fallback: 'redirect' }));
    }
    function settle(how, value) {
      removeEventListener('message', listen);
      place.close(Boolean(value.txId));
      how(value);
    }
    function listen(event) {
      // Everyone may post to a game's window. Only our page, in the frame or window opened here, is accepted.
      if (event.origin !== origin || !event.source || !place.windows().includes(event.source)) return;
      const { frameId: id, message, page, undecided, ...result } = parsed(event.data);
      if (id !== frameId) return;
      if (page) return place.hear?.(page, result.height);
      if (undecided) {
        // It may be paid, so the player reads that first, and the callback of games that know no reasons hears nothing.
        const { error, requestId, reason } = result;
        end = () => settle(reject, new QuartersError('failed', error, { requestId, reason }));
        return place.isDialog || end();
      }
      end = () => settle(resolve, result);
      // In the frame the player sees for a moment that it is paid.
      if (event.source === place.windows()[1] && (result.txId || result.code)) setTimeout(end, 900);
      else end();
    }
    addEventListener('message', listen);
    found.catch((error) => settle(reject, error));
  });
}

function parsed(data) {
  try {
    return { ...JSON.parse(data) };
  } catch {
    return {};
  }
}

// The window shows a page of ours that closes it if it has lost us (src/pages/window/window.ts). Then `lost` is called, and nobody can pay
// in a window that cannot tell us. Otherwise that page tells us that it is there, `ready` is called, and the window may go on.
function openPopup(first, ready, closed, lost) {
  const [width, height] = [440, 720];
  const left = Math.max(0, screenX + (outerWidth - width) / 2);
  const features = `popup,width=${width},height=${height},left=${left},top=${screenY + 60}`;
  const popup = open(first, '_blank', features);
  if (!popup) return null;
  let isReady = false;
  let looks = 0;
  const timer = setInterval(() => {
    if (!popup.closed) return;
    if (!isReady) {
      losesWindows = true;
      clearInterval(timer);
      lost();
      // At the first checks, a result posted just before the window closed may not have arrived yet.
    } else if (looks++ > 2) closed();
  }, 100);
  return {
    windows: () => [popup],
    hear() {
      if (!isReady) ready();
      isReady = true;
    },
    go(url) {
      if (!popup.closed) popup.location.replace(url);
    },
    close(isPaid) {
      clearInterval(timer);
      if (!isPaid) return popup.close();
      // The game goes on at once, while the player sees for a moment that it is paid.
      setTimeout(() => popup.close(), 900);
      addEventListener('pagehide', () => popup.close());
    },
  };
}
