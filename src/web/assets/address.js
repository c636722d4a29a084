// The token that opened this page can do more than the page. So another query takes its place in the address bar and the history; with it
// the page can be loaded again.
const { cleanQuery } = document.querySelector('main').dataset;
try {
  history.replaceState(history.state, '', cleanQuery);
} catch {} // A sandboxed frame without an origin may not.
