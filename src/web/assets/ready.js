const { dataset } = document.documentElement;
let timer;

function wait() {
  dataset.ready = false;
  clearTimeout(timer);
  timer = setTimeout(() => {
    dataset.ready = true;
  }, 600);
}

addEventListener(
  'click',
  (event) => {
    if (dataset.ready === 'true') return;
    event.preventDefault();
    event.stopImmediatePropagation();
    wait();
  },
  true,
);
for (const shown of ['pageshow', 'visibilitychange']) addEventListener(shown, wait);
// In a frame the first click itself brings the focus.
if (parent === window) addEventListener('focus', wait);
wait();
