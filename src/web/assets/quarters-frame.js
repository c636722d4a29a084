// The part of quarters.js that shows our page in a dialog over the game's page, or in the game's container. The frame is not seen
// before our page in it says hello (src/web/hello.ts), so nobody sees what a browser shows in its place. If the page does not come,
// the player can open a window.
// biome-ignore lint/correctness/noUnusedVariables: quarters.js uses it
class FramePlace {
  constructor(container, words, title, closed) {
    this.before = document.activeElement;
    this.isDialog = !container;
    Object.assign(this, { words }, frameParts(container, words, words[title]));
    // A game may take the container away, and the frame with it.
    let wasThere = this.host.isConnected;
    this.watch = setInterval(() => {
      if (wasThere && !this.host.isConnected) this.leave(closed);
      wasThere = this.host.isConnected;
    }, 500);
    this.box.onclose = () => this.leave(closed);
    this.button.onclick = () => this.openWindow();
    this.say('loading', true);
  }

  windows() {
    return [this.own?.windows()[0], this.frame.contentWindow];
  }

  go(url) {
    this.url = url;
    this.frame.src = `${url}&hello=true${this.isAway ? '&away=true' : ''}`;
    // Our page says hello before it has loaded, and may be heard after.
    this.frame.onload = () => {
      this.missed = !this.greeted;
      this.greeted = false;
      if (this.missed) this.hide('0s');
    };
    this.wait();
  }

  hear(page, height) {
    const { box, frame, panel } = this;
    if (page === 'first') this.own?.hear();
    if (page === 'escape') box.close?.();
    if (page === 'left') this.hide('.1s');
    if (page === 'away') this.isAway = true;
    if (page === 'shown') {
      this.greeted = !this.missed;
      this.missed = false;
      clearTimeout(this.timer);
      this.reason = undefined;
      const comes = !panel.hidden;
      this.show(true);
      if (comes && (box.open || document.activeElement === this.before)) frame.focus();
    }
    if (Number.isFinite(height)) frame.style.height = `${Math.min(Math.max(height, 96), 4000)}px`;
  }

  close(isPaid) {
    // Only once: closing a dialog calls this again.
    if (this.isClosed) return;
    this.isClosed = true;
    clearTimeout(this.timer);
    clearInterval(this.watch);
    this.own?.close(isPaid);
    this.host.remove();
    this.frame.remove();
    this.before?.focus?.();
  }

  // The player may still pay in a window that the frame opened and cannot see. So the frame stays, unseen, until that is decided.
  leave(closed) {
    if (!this.isAway) return closed(this.reason);
    this.frame.style.display = 'none';
    this.before = null;
    if (this.frame.isConnected) return;
    document.body.append(this.frame);
    this.go(this.url);
  }

  show(isFrame) {
    const { panel, frame } = this;
    panel.hidden = isFrame;
    const visibility = isFrame ? 'visible' : 'hidden';
    Object.assign(frame.style, { visibility, opacity: 1, pointerEvents: 'auto', transition: '' });
    // A click on the button that stood here must not reach the page that comes in its place.
    if (isFrame && this.offered) {
      this.offered = false;
      frame.style.pointerEvents = 'none';
      setTimeout(() => Object.assign(frame.style, { pointerEvents: 'auto' }), 600);
    }
    if (!isFrame) frame.style.height = 0;
  }

  say(what, isBusy = false) {
    const { words, sentence, panel, button, box } = this;
    this.show(false);
    sentence.textContent = words[what];
    panel.classList.toggle('busy', isBusy);
    button.hidden = isBusy || losesWindows;
    this.offered = !isBusy;
    button.textContent = this.own ? words.show : words.open;
    if (!isBusy && box.open) button.focus();
  }

  // What is in the frame now may be the browser's own page about an error. After `delay`, so that nothing flickers between pages.
  hide(delay) {
    Object.assign(this.frame.style, { opacity: 0, pointerEvents: 'none', transition: `opacity 0s ${delay}` });
    this.wait();
  }

  wait() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      if (this.isAway) return this.go(this.url);
      this.reason = 'unavailable';
      this.say('unreachable');
    }, 3000);
  }

  openWindow() {
    if (this.own) return this.own.windows()[0].focus();
    const closed = () => {
      this.own.close();
      this.own = null;
      this.say('closedWindow');
    };
    const { origin, searchParams } = new URL(this.url);
    const first = `${origin}/window#${searchParams.get('frame_id')}`;
    this.own = openPopup(first, () => this.own.go(this.url), closed, closed);
    if (!this.own) return this.say('blockedWindow');
    clearTimeout(this.timer);
    this.reason = undefined;
    // Its page must not come late, while the player decides in the window.
    this.frame.remove();
    this.say('opened');
  }
}

// In a shadow root, where the game's styles do not reach, but for a frame in the game's container. A modal dialog keeps the focus
// inside, and Escape closes it.
function frameParts(container, { lang, dir, close }, title) {
  const frame = element('iframe', { title });
  // Through the object model, which the game's Content-Security-Policy does not restrict.
  Object.assign(frame.style, { display: 'block', width: '100%', minHeight: 0, maxHeight: '100dvh', border: 0 });
  const sentence = element('output');
  const button = element('button', { type: 'button', className: 'open' });
  const panel = element('div', { className: 'panel' }, sentence, button);
  const box = element(container ? 'div' : 'dialog', { ariaLabel: title, lang, dir }, panel);
  const host = element('div');
  const root = host.attachShadow({ mode: 'open' });
  root.append(box);
  try {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    root.adoptedStyleSheets = [sheet];
  } catch {} // An old browser: the dialog works, and is plain.
  if (container) container.append(host, frame);
  else {
    const shut = { ariaLabel: close, textContent: '✕', onclick: () => box.close() };
    box.prepend(element('button', { type: 'button', className: 'close', ...shut }));
    box.append(frame);
    document.body.append(host);
    box.showModal();
  }
  return { host, box, panel, sentence, button, frame };
}

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}
