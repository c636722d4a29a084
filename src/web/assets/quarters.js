// Opens our pages for a game and returns what the player did there. Served as /quarters.js (window.Quarters) and as
// /quarters.mjs (import): src/pages/browser-script.ts. Its interface is in quarters.d.ts.
// biome-ignore lint/correctness/noUnusedVariables: browser-script.ts calls it
function quarters(approvalBase, signUpBase) {
  async function approve({ requestId, pageToken, clientId, redirectUri, proof, approvalUrl = approvalBase, ...where }) {
    const result = await openPage(approvalUrl, { mode: 'iframe', title: 'Approve a payment', ...where }, async () => ({
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
    const result = await openPage(signUpUrl, { mode: 'popup', title: 'Keep your quarters', ...where }, async () => ({
      path: '/guest',
      inline: true,
      response_type: 'code',
      client_id: clientId,
      token: await token,
      redirect_uri: redirectUri,
      state,
      code_challenge: codeChallenge,
      code_challenge_method: codeChallenge && 'S256',
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
  const { requestId, proof } = result;
  if (result.cancel) throw new QuartersError('declined', 'The player declined.', { proof });
  throw new QuartersError('failed', String(result.error ?? 'It did not work.'), { requestId, proof });
}

function openPage(base, { mode, container, title }, parameters) {
  const { origin } = new URL(base);
  const frameId = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16)).join('');
  const address = async () => {
    const { path, ...query } = await parameters();
    const url = new URL(base + path);
    // Our pages deliver to a named address. In every other mode the game waits for a message.
    if (mode !== 'redirect') Object.assign(query, { inline: true, frame_id: frameId, redirect_uri: undefined });
    for (const [name, value] of Object.entries(query)) if (value) url.searchParams.set(name, value);
    return url.href;
  };
  return new Promise((resolve, reject) => {
    const found = address();
    if (mode === 'redirect') return found.then((url) => location.assign(url), reject);
    // Within the player's click, because a browser blocks a window that opens later.
    const place = mode === 'popup' ? openPopup(closed) : openFrame(container, title, closed);
    if (!place) {
      found.catch(() => {});
      return reject(new QuartersError('blocked', 'The browser blocked the window.', { fallback: 'redirect' }));
    }
    function settle(how, value) {
      removeEventListener('message', listen);
      place.close();
      how(value);
    }
    function closed() {
      settle(reject, new QuartersError('closed', 'The player closed the page.'));
    }
    function listen(event) {
      // Everyone may post to a game's window. Only our page, in the window opened here, is accepted.
      if (event.origin !== origin || event.source !== place.window()) return;
      const { frameId: id, message, ...result } = parsed(event.data);
      if (id === frameId) settle(resolve, result);
    }
    addEventListener('message', listen);
    found.then(place.go, (error) => settle(reject, error));
  });
}

function parsed(data) {
  try {
    return { ...JSON.parse(data) };
  } catch {
    return {};
  }
}

function openPopup(closed) {
  const [width, height] = [440, 720];
  const left = Math.max(0, screenX + (outerWidth - width) / 2);
  const popup = open('', '_blank', `popup,width=${width},height=${height},left=${left},top=${screenY + 60}`);
  if (!popup) return null;
  let looks = 0;
  const timer = setInterval(() => {
    // At the first check, a result posted just before the window closed may not have arrived yet.
    if (popup.closed && looks++) closed();
  }, 250);
  return {
    window: () => popup,
    go(url) {
      if (!popup.closed) popup.location.replace(url);
    },
    close() {
      clearInterval(timer);
      popup.close();
    },
  };
}

function openFrame(container, title, closed) {
  const before = document.activeElement;
  const frame = element('iframe', { title }, { display: 'block', width: '100%', height: '42rem', border: 0 });
  const place = container ? frame : overlay(frame, title, closed);
  (container ?? document.body).append(place);
  place.shadowRoot?.firstChild.showModal();
  frame.focus();
  return {
    window: () => frame.contentWindow,
    go(url) {
      frame.src = url;
    },
    close() {
      // Only once: closing a dialog calls this again.
      if (!place.isConnected) return;
      place.remove();
      before?.focus?.();
    },
  };
}

// A modal dialog keeps the focus inside, and Escape closes it. It is in a shadow root, where the game's styles do not reach.
function overlay(frame, title, closed) {
  const dialog = element(
    'dialog',
    { ariaLabel: title, onclose: closed },
    {
      width: 'min(27rem, 100vw - 1rem)',
      maxWidth: 'none',
      maxHeight: '100dvh',
      padding: 0,
      border: 0,
      borderRadius: '1rem',
      overflow: 'hidden',
      colorScheme: 'light dark',
      background: 'Canvas',
      // In place of ::backdrop, which inline styles cannot reach.
      boxShadow: '0 0 0 100vmax #000a',
    },
  );
  const button = element(
    'button',
    { type: 'button', ariaLabel: 'Close', textContent: '✕', onclick: () => dialog.close() },
    {
      display: 'block',
      width: '3rem',
      height: '3rem',
      marginLeft: 'auto',
      border: 0,
      background: 'none',
      color: 'CanvasText',
      font: '1.125rem/1 system-ui',
      cursor: 'pointer',
    },
  );
  frame.style.height = 'min(42rem, 100dvh - 4rem)';
  dialog.append(button, frame);
  const host = element('div', {}, {});
  host.attachShadow({ mode: 'open' }).append(dialog);
  return host;
}

// Styles are set through the object model, which the game's Content-Security-Policy does not restrict.
function element(name, properties, style) {
  const made = Object.assign(document.createElement(name), properties);
  Object.assign(made.style, style);
  return made;
}
