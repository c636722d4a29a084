const { dataset } = document.documentElement;
const said = document.querySelector('.early');
let timer;

function wait() {
  dataset.ready = false;
  clearTimeout(timer);
  timer = setTimeout(() => {
    dataset.ready = true;
    delete dataset.early;
    if (said) said.textContent = '';
  }, 600);
}

// A press that begins too early ends on another element than it began on, and is not for the button.
let early = false;
addEventListener(
  'pointerdown',
  () => {
    early = dataset.ready !== 'true';
  },
  true,
);
addEventListener(
  'click',
  (event) => {
    if (dataset.ready === 'true' && !(early && event.detail)) return;
    early = false;
    event.preventDefault();
    event.stopImmediatePropagation();
    wait();
    // A tap is never swallowed without a word.
    dataset.early = true;
    if (said) said.textContent = readyWords.early;
  },
  true,
);
for (const shown of ['pageshow', 'visibilitychange']) addEventListener(shown, wait);
// In a frame the first click itself brings the focus.
if (parent === window) addEventListener('focus', wait);
wait();
