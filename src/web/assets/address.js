// The token that opened this page can do more than the page. So another query replaces it in the address bar and the history.
// The page can be loaded again with it.
const { cleanQuery } = document.querySelector('main').dataset;
try {
  history.replaceState(history.state, '', cleanQuery);
} catch {} // A sandboxed frame without an origin may not change its address.
