// Finds entries of the documentation. The server uses it for the search page, and docs.js in the browser.

const MOST_CHARACTERS = 110;
/** Each word costs a look at the whole documentation, and the server looks, too. */
const MOST_WORDS = 8;

/**
 * The entries that contain all words of `query`, of which the first eight count, the best first, at most `most`. A word counts more at the
 * beginning of a title than inside it, and more there than in the text.
 */
export function findEntries(entries, query, most) {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  const found = [];
  for (const entry of entries) {
    const scores = words.map((word) => scoreOf(entry, word));
    if (scores.every((score) => score > 0)) found.push({ entry, score: scores.reduce((sum, score) => sum + score) });
  }
  // Sorting is stable: equals keep the order of the documentation.
  return found
    .sort((one, other) => other.score - one.score)
    .slice(0, most)
    .map(({ entry }) => entry);
}

/** The part of an entry's text around the first word that was found in it. */
export function excerptOf({ text }, query) {
  const lower = text.toLowerCase();
  const places = wordsOf(query).map((word) => lower.indexOf(word));
  const first = Math.min(...places.filter((place) => place >= 0), text.length);
  const start = first < MOST_CHARACTERS / 2 || first === text.length ? 0 : text.lastIndexOf(' ', first - 20) + 1;
  const isWhole = start + MOST_CHARACTERS >= text.length;
  const end = isWhole ? text.length : text.lastIndexOf(' ', start + MOST_CHARACTERS);
  return `${start > 0 ? '… ' : ''}${text.slice(start, end > start ? end : start + MOST_CHARACTERS)}${isWhole ? '' : ' …'}`;
}

function wordsOf(query) {
  return [...new Set(query.toLowerCase().split(/\s+/).filter(Boolean))].slice(0, MOST_WORDS);
}

function scoreOf({ title, where, text }, word) {
  const inTitle = title.toLowerCase();
  if (inTitle === word) return 24;
  if (inTitle.startsWith(word)) return 12;
  if (inTitle.split(/[^\p{L}\p{N}]+/u).some((part) => part.startsWith(word))) return 8;
  if (where.toLowerCase().split(' ').includes(word)) return 10;
  if (inTitle.includes(word)) return 6;
  if (where.toLowerCase().includes(word)) return 4;
  return text.toLowerCase().includes(word) ? 1 : 0;
}
