// What opened this page is worth more than the page: it leaves the address, and the history, for one that a reload can use.
const { cleanQuery } = document.querySelector('main').dataset;
try {
  history.replaceState(history.state, '', cleanQuery);
} catch {} // A sandboxed frame without an origin may not.
