// Tells the page around a frame, as src/web/hello.ts describes: the page is there, how high it is, Escape was pressed, it leaves, the player
// is away in a window that it cannot see.
// In a block, because the scripts of a page share one scope.
if (parent !== window) {
  const { hello, frameId } = document.body.dataset;
  const say = (page, more) => {
    for (const origin of hello.split(' ')) {
      try {
        parent.postMessage(JSON.stringify({ page, ...more, frameId }), origin);
      } catch {} // Not an origin that this browser can name.
    }
  };
  const heightNow = () => Math.ceil(document.body.getBoundingClientRect().height);
  let height;
  const sayShown = () => {
    height = heightNow();
    say('shown', { height });
  };
  sayShown();
  new ResizeObserver(() => {
    if (height === heightNow()) return;
    height = heightNow();
    say('height', { height });
  }).observe(document.body);
  addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !event.isComposing && !event.defaultPrevented) say('escape');
  });
  addEventListener('pagehide', () => say('left'));
  addEventListener('away', () => say('away'));
  addEventListener('pageshow', ({ persisted }) => persisted && sayShown());
  // The next page says hello too, and an error page of it under the same name.
  addEventListener('formdata', ({ formData }) => {
    formData.set('hello', 'true');
    if (frameId) formData.set('frame_id', frameId);
  });
}
