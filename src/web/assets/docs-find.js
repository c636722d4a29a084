// Finds entries of the documentation. The server uses it for the search page, and docs.js in the browser.

const MOST_EXCERPT = 110;
const MOST_CHARACTERS = 100;
const MOST_WORDS = 8;

/** What a word counts by where it stands. In the text it counts up to twice as much if it is what the text is about. */
const COUNTS = { title: 8, where: 4, text: 1 };
/** The title is all that was typed. */
const WHOLE_TITLE = 20;
/** A longer word that only begins so counts less. */
const BEGINNING = 0.6;
/** What means the same counts less than what was typed. */
const SAME_MEANING = 0.7;
/** Many fields are named as the call that is looked for. */
const KINDS = { Call: 1.2, Operate: 0.9, Field: 0.4 };

/** Phrases that mean the same here: what people type, and what the documentation says. A plural counts as its singular. */
const SAME = [
  ['two factor', '2fa', 'mfa', 'totp', 'passkey'],
  ['subscription', 'subscribe', 'recurring', 'mandate', 'auto approval', 'without asking', 'spending limit'],
  [
    'retry',
    'resend',
    'repeat',
    'redelivery',
    'idempotency',
    'pay twice',
    'double payment',
    'double charge',
    'duplicate',
    'exactly once',
  ],
  ['rotate', 'roll', 'renew', 'replace'],
  ['test money', 'test mode', 'sandbox', 'faucet', 'play money', 'test quarters', 'development mode'],
  ['test', 'ci', 'mock', 'jest', 'vitest', 'nunit', 'emulator', 'simulate', 'rehearse'],
  ['webview', 'onservicecallback'],
  ['docker', 'container', 'image', 'compose', 'podman'],
  ['backup', 'restore', 'dump'],
  ['iframe', 'frame'],
  ['popup', 'window'],
  ['login', 'log in', 'signin', 'sign in', 'signing in', 'oauth', 'oidc', 'openid', 'sso', 'single sign'],
  ['register', 'sign up', 'signup'],
  ['chargeback', 'money back', 'refund'],
  ['payout', 'mass payment', 'pay many', 'paying many', 'bulk'],
  ['pagination', 'paging', 'cursor', 'list'],
  ['rate limit', 'throttling', '429', 'too many requests'],
  ['upgrade', 'update', 'new version', 'release'],
  ['api key', 'secret key', 'server key'],
  ['callback', 'webhook', 'notification', 'event', 'websocket', 'realtime', 'push'],
  ['anonymous', 'guest'],
  ['failover', 'replica', 'cluster', 'high availability'],
  ['k8s', 'kubernetes'],
  ['nginx', 'reverse proxy', 'load balancer', 'proxy', 'haproxy'],
  ['smtp', 'email', 'e mail', 'mail'],
  ['gdpr', 'personal data', 'delete account', 'delete user', 'delete player', 'erase'],
  ['environment variable', 'env var', 'configuration', 'setting'],
  ['ban', 'block player', 'freeze', 'fraud', 'cheat'],
  ['tunnel', 'ngrok', 'localtunnel', 'listen'],
  ['openapi', 'swagger'],
  ['going live', 'go live', 'launch', 'production', 'checklist', 'before players come'],
  ['insufficient quarters', 'insufficient funds', 'insufficient balance', 'not enough', 'too few quarters'],
  [
    'selling quarters',
    'sell quarters',
    'buy quarters',
    'purchase quarters',
    'credit card',
    'checkout',
    'in app purchase',
  ],
  ['withdraw', 'withdrawal', 'cash out', 'cashout', 'off ramp'],
  ['children', 'minor', 'parental', 'underage', 'coppa'],
  ['language', 'translation', 'localization', 'localisation', 'i18n', 'locale'],
  ['verify', 'verification', 'verified', 'validate'],
  ['state', 'status', 'lifecycle'],
  ['frame ancestor', 'x frame options', 'iframe blocked'],
  ['erc 20', 'erc20'],
];
/** The same by each phrase, in stems. */
const SAME_AS = new Map(
  SAME.map((row) => row.map((phrase) => phrase.split(' ').map(stemOf))).flatMap((row) =>
    row.map((phrase) => [phrase.join(' '), [phrase, ...row.filter((other) => other !== phrase)]]),
  ),
);
/** How many words a phrase has. */
const LENGTHS = [3, 2, 1];

/** Words that a search leaves out, unless there is no other. */
const FILLERS = new Set(
  'a an and are can do does for from have how i is it me my of on or the to what when where with'.split(' '),
);

/**
 * Reads all entries once, so that a search costs little. It finds the entries that have all words, in any order, the best first. If no entry
 * has all, it finds those that have most. Of a query it reads 100 characters, and of these eight words.
 */
export function openSearch(entries) {
  const index = indexOf(entries);
  const titles = entries.map(({ title }) => wordsOf(title).map(stemOf).join(' '));
  const lower = entries.map(({ text }) => text.toLowerCase());
  const weights = entries.map(({ kind }) => KINDS[kind] ?? 1);

  /** What a word counts in each entry. */
  function countsOfWord(stem) {
    const counts = new Float64Array(entries.length);
    for (let at = firstFrom(index, stem); index[at]?.word.startsWith(stem); at++) {
      const share = index[at].stem === stem ? 1 : BEGINNING;
      const { numbers, found } = index[at];
      for (let place = 0; place < found.length; place++) {
        counts[numbers[place]] = Math.max(counts[numbers[place]], found[place] * share);
      }
    }
    return counts;
  }

  /** Counts for the entries that have all of its words. */
  function countsOfPhrase(phrase) {
    const [sum, ...others] = phrase.map(countsOfWord);
    for (const counts of others) {
      for (let at = 0; at < sum.length; at++) sum[at] = sum[at] && counts[at] && sum[at] + counts[at];
    }
    return sum;
  }

  /** Adds what a word or phrase counts to the `scores` of the entries that `have` it. */
  function addConcept([typed, ...same], scores, have) {
    const best = countsOfPhrase(typed);
    for (const phrase of same) {
      const counts = countsOfPhrase(phrase);
      for (let at = 0; at < best.length; at++) best[at] = Math.max(best[at], counts[at] * SAME_MEANING);
    }
    let found = 0;
    for (const count of best) if (count > 0) found++;
    // A rare word says more than a frequent one.
    const rarity = Math.log(1 + best.length / (1 + found));
    for (let at = 0; at < best.length; at++) {
      if (best[at] === 0) continue;
      scores[at] += best[at] * rarity * weights[at];
      have[at]++;
    }
  }

  return (query, most) => {
    const words = wordsOf(query.slice(0, MOST_CHARACTERS)).slice(0, MOST_WORDS);
    const concepts = conceptsOf(words);
    const scores = new Float64Array(entries.length);
    const have = new Uint8Array(entries.length);
    for (const concept of concepts) addConcept(concept, scores, have);
    const title = words.map(stemOf).join(' ');
    let mostHad = 1;
    for (const count of have) if (count > mostHad) mostHad = count;
    const found = [];
    for (let at = 0; at < have.length; at++) {
      if (titles[at] === title) scores[at] += WHOLE_TITLE * weights[at];
      if (have[at] === mostHad) found.push(at);
    }
    // Sorting is stable: equals keep the order of the documentation.
    return found
      .sort((one, other) => scores[other] - scores[one])
      .slice(0, most)
      .map((at) => ({ ...entries[at], excerpt: excerptOf(entries[at].text, lower[at], concepts) }));
  };
}

/** All words of all entries, sorted, each with what it counts in the entries that have it. */
function indexOf(entries) {
  const index = new Map();
  const add = (word, entry, count) => {
    const counts = index.get(word) ?? new Map();
    index.set(word, counts);
    counts.set(entry, (counts.get(entry) ?? 0) + count);
  };
  const texts = entries.map(({ text }) => wordsOf(text));
  const usual = texts.reduce((sum, { length }) => sum + length, 0) / texts.length;
  entries.forEach(({ title, where }, at) => {
    for (const word of new Set(wordsOf(title))) add(word, at, COUNTS.title);
    for (const word of new Set(wordsOf(where))) add(word, at, COUNTS.where);
    const times = new Map();
    for (const word of texts[at]) times.set(word, (times.get(word) ?? 0) + 1);
    // Okapi BM25: each repetition adds less, and a word says less in a long text.
    const length = 0.3 + (0.9 * texts[at].length) / usual;
    for (const [word, count] of times) add(word, at, (COUNTS.text * 2.2 * count) / (count + length));
  });
  return [...index]
    .map(([word, counts]) => ({ word, stem: stemOf(word), numbers: [...counts.keys()], found: [...counts.values()] }))
    .sort((one, other) => (one.word < other.word ? -1 : 1));
}

/** The place of the first word that is not before `stem`. */
function firstFrom(index, stem) {
  let from = 0;
  for (let to = index.length; from < to; ) {
    const middle = (from + to) >> 1;
    if (index[middle].word < stem) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** What is asked for: of each word or known phrase all that mean the same, in stems, first what was typed. */
function conceptsOf(words) {
  const asked = words.filter((word) => !FILLERS.has(word));
  const stems = (asked.length > 0 ? asked : words).map(stemOf);
  const concepts = [];
  while (stems.length > 0) {
    const phrases = LENGTHS.map((length) => stems.slice(0, length).join(' '));
    const [typed] = stems;
    const concept = SAME_AS.get(phrases.find((phrase) => SAME_AS.has(phrase))) ?? [[typed]];
    concepts.push(concept);
    stems.splice(0, concept[0].length);
  }
  return concepts;
}

/** The part of a text around the first word that was found in it: one that was typed, or one that means the same. */
function excerptOf(text, lower, concepts) {
  const places = (phrases) =>
    phrases.flatMap((phrase) => phrase.map((stem) => lower.indexOf(stem))).filter((place) => place >= 0);
  const typed = places(concepts.map(([phrase]) => phrase));
  const first = Math.min(...(typed.length > 0 ? typed : places(concepts.flat())), text.length);
  const start = first < MOST_EXCERPT / 2 || first === text.length ? 0 : text.lastIndexOf(' ', first - 20) + 1;
  const isWhole = start + MOST_EXCERPT >= text.length;
  const end = isWhole ? text.length : text.lastIndexOf(' ', start + MOST_EXCERPT);
  return `${start > 0 ? '… ' : ''}${text.slice(start, end > start ? end : start + MOST_EXCERPT)}${isWhole ? '' : ' …'}`;
}

/** Words of letters and digits, in lower case. A name such as `createGuest` is found whole and by its parts. */
function wordsOf(text) {
  const words = [];
  for (const word of text.match(/\b[cf]#|[\p{L}\p{N}]+/giu) ?? []) {
    words.push(word.toLowerCase());
    if (/[a-z][A-Z]/.test(word)) words.push(...word.split(/(?<=[a-z])(?=[A-Z])/).map((part) => part.toLowerCase()));
  }
  return words;
}

/** The beginning that the forms of a word share: `rotat` of `rotate`, `rotating` and `rotation`. `core` and `cores` share no more with `cors`. */
function stemOf(word) {
  const [end = ''] = /(?:ions?|ing|ies|ied|ed|(?<=.{4})es?|s)$/.exec(word) ?? [];
  return word.length - end.length < 3 ? word : word.slice(0, word.length - end.length);
}
