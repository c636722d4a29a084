// Opens our pages for a game and returns what the player did there. Served as /quarters.js (window.Quarters) and as
// /quarters.mjs (import): src/pages/browser-script.ts, which adds `words` and `css` before it. Its interface is in quarters.d.ts.
// biome-ignore lint/correctness/noUnusedVariables: browser-script.ts calls it
function quarters(approvalBase, signUpBase) {
  async function approve({ requestId, pageToken, clientId, redirectUri, proof, approvalUrl = approvalBase, ...where }) {
    const result = await openPage(approvalUrl, { mode: 'iframe', title: words.approve, ...where }, async () => ({
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
    const result = await openPage(signUpUrl, { mode: 'popup', title: words.signUp, ...where }, async () => ({
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
  const { requestId, proof, reason } = result;
  if (result.cancel) throw new QuartersError('declined', words.declined, { proof });
  throw new QuartersError('failed', String(result.error ?? words.failed), { requestId, proof, reason });
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
    let end = (reason) => settle(reject, new QuartersError('closed', words.closed, { reason }));
    const closed = (reason) => end(reason);
    // Within the player's click, because a browser blocks a window that opens later.
    const place = mode === 'popup' ? openPopup(closed) : openFrame(container, title, closed);
    if (!place) {
      found.catch(() => {});
      return reject(new QuartersError('blocked', words.blocked, { fallback: 'redirect' }));
    }
    function settle(how, value) {
      removeEventListener('message', listen);
      place.close();
      how(value);
    }
    function listen(event) {
      // Everyone may post to a game's window. Only our page, in the frame or window opened here, is accepted.
      if (event.origin !== origin || !event.source || !place.windows().includes(event.source)) return;
      const { frameId: id, message, page, ...result } = parsed(event.data);
      if (id !== frameId) return;
      if (page) return place.hear?.(page, result.height);
      end = () => settle(resolve, result);
      // In the frame the player sees for a moment that it is paid.
      if (event.source === place.windows()[1] && (result.txId || result.code)) setTimeout(end, 900);
      else end();
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
    windows: () => [popup],
    go(url) {
      if (!popup.closed) popup.location.replace(url);
    },
    close() {
      clearInterval(timer);
      popup.close();
    },
  };
}

// A dialog over the page, or the game's container. The frame is not seen before our page in it says hello, so nobody sees what a
// browser shows in its place. If the page does not come, the player can open a window.
function openFrame(container, title, closed) {
  const before = document.activeElement;
  const frame = element('iframe', { title });
  // Through the object model, which the game's Content-Security-Policy does not restrict.
  Object.assign(frame.style, { display: 'block', width: '100%', minHeight: 0, maxHeight: '100dvh', border: 0 });
  const sentence = element('output');
  const button = element('button', { type: 'button', className: 'open', onclick: openWindow });
  const panel = element('div', { className: 'panel' }, sentence, button);
  let url;
  let reason;
  let timer;
  let own;
  // Whether the page that loads has said hello, and whether one has loaded without.
  let greeted;
  let missed;

  // In a shadow root, where the game's styles do not reach. A modal dialog keeps the focus inside, and Escape closes it.
  const box = element(container ? 'div' : 'dialog', { ariaLabel: title, onclose: () => closed(reason) });
  const close = {
    type: 'button',
    className: 'close',
    ariaLabel: words.close,
    textContent: '✕',
    onclick: () => box.close(),
  };
  box.append(...(container ? [panel] : [element('button', close), panel, frame]));
  const host = element('div');
  const root = host.attachShadow({ mode: 'open' });
  root.append(box);
  try {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    root.adoptedStyleSheets = [sheet];
  } catch {} // An old browser: the dialog works, and is plain.
  if (container) container.append(host, frame);
  else document.body.append(host);
  box.showModal?.();
  say(words.loading, true);

  function show(isFrame) {
    panel.hidden = isFrame;
    const visibility = isFrame ? 'visible' : 'hidden';
    Object.assign(frame.style, { visibility, opacity: 1, pointerEvents: 'auto', transition: '' });
    if (!isFrame) frame.style.height = 0;
  }
  function say(text, isBusy) {
    show(false);
    sentence.textContent = text;
    panel.classList.toggle('busy', !!isBusy);
    button.hidden = !!isBusy;
    button.textContent = own ? words.show : words.open;
    if (!isBusy && box.open) button.focus();
  }
  function wait() {
    clearTimeout(timer);
    timer = setTimeout(() => {
      reason = 'unavailable';
      say(words.unreachable);
    }, 3000);
  }
  // What is in the frame now may be the browser's own page about an error. After `delay`, so that nothing flickers between pages.
  function hide(delay) {
    Object.assign(frame.style, { opacity: 0, pointerEvents: 'none', transition: `opacity 0s ${delay}` });
    wait();
  }
  function openWindow() {
    if (own) return own.windows()[0].focus();
    own = openPopup(() => {
      own.close();
      own = null;
      say(words.closedWindow);
    });
    if (!own) return say(words.blockedWindow);
    clearTimeout(timer);
    reason = undefined;
    // Its page must not come late, while the player decides in the window.
    frame.remove();
    own.go(url);
    say(words.opened);
  }

  return {
    windows: () => [own?.windows()[0], frame.contentWindow],
    hear(page, height) {
      if (page === 'escape') box.close?.();
      if (page === 'left') hide('.1s');
      if (page === 'shown') {
        greeted = !missed;
        missed = false;
        clearTimeout(timer);
        reason = undefined;
        const comes = !panel.hidden;
        show(true);
        if (comes && (box.open || document.activeElement === before)) frame.focus();
      }
      if (Number.isFinite(height)) frame.style.height = `${Math.min(Math.max(height, 96), 4000)}px`;
    },
    go(address) {
      url = address;
      frame.src = `${url}&hello=true`;
      // Our page says hello before it has loaded, and may be heard after.
      frame.onload = () => {
        missed = !greeted;
        greeted = false;
        if (missed) hide('0s');
      };
      wait();
    },
    close() {
      // Only once: closing a dialog calls this again.
      if (!host.isConnected) return;
      clearTimeout(timer);
      own?.close();
      host.remove();
      frame.remove();
      before?.focus?.();
    },
  };
}

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}
