// Every password can be shown while it is typed, and a new one gets a word for its strength. Only the server decides whether to
// accept it: this script does not know the list of common passwords.
// The same limits are in src/identity/password-rules.ts.
const SHORTEST = 12;
const LONGEST = 128;
const SHORTEST_OWN = 4;
/** In bits, by `bitsOf`: twelve small letters and digits are 62, twelve characters of all kinds 79, three words about 100. */
const [GOOD, STRONG] = [75, 95];

const VERDICTS = {
  short: { level: 0, says: passwordWords.short },
  long: { level: 0, says: passwordWords.long },
  own: { level: 0, says: passwordWords.own },
  weak: { level: 1, says: passwordWords.weak },
  good: { level: 2, says: passwordWords.good },
  strong: { level: 3, says: passwordWords.strong },
};

/** The second argument holds the user's e-mail address and name, if they are known. */
function verdictOn(password, { email = '', name = '' }) {
  const typed = password.normalize('NFKC').replace(/\s+/gu, ' ');
  const { length } = [...typed];
  if (length < SHORTEST) return VERDICTS.short;
  if (length > LONGEST) return VERDICTS.long;
  const folded = typed.toLowerCase();
  const own = ownWords(email.normalize('NFKC').toLowerCase(), name.normalize('NFKC').toLowerCase());
  if ([folded, bare(folded)].some((text) => own.some((word) => comesTo(text, word)))) return VERDICTS.own;
  // Programs first try one word with digits and signs around it, or in place of some letters.
  const spelled = folded.replace(/(?<=\p{L})[^\p{L}\s](?=\p{L})/gu, 'x');
  if (length < 20 && /^\P{L}*\p{L}+\P{L}*$/u.test(spelled)) return VERDICTS.weak;
  const bits = bitsOf(typed);
  if (bits < GOOD) return VERDICTS.weak;
  return bits < STRONG ? VERDICTS.good : VERDICTS.strong;
}

function ownWords(email, name) {
  const words = [email, email.slice(0, Math.max(0, email.lastIndexOf('@'))), name, ...name.split(/\s+/u)];
  return words.flatMap((word) => [word, bare(word)]).filter((word) => [...word].length >= SHORTEST_OWN);
}

function bare(text) {
  return text.replace(/[^\p{L}\p{M}\p{N}]/gu, '');
}

/** Whether the text is the word, once or repeated, with only digits and signs around it, which are at most two thirds. */
function comesTo(text, word) {
  const around = text.split(word).join('');
  return text.includes(word) && !/\p{L}/u.test(around) && text.length - around.length >= text.length / 3;
}

/** As if each character were drawn at random. Repeated characters and rows such as `abc` do not count. */
function bitsOf(text) {
  const characters = [...text.slice(0, periodOf(text))];
  const codes = characters.map((character) => character.codePointAt(0));
  const steps = codes.map((code, i) => (i === 0 ? NaN : code - codes[i - 1]));
  const drawn = steps.filter((step, i) => Math.abs(step) > 1 || step !== steps[i - 1]).length;
  const kinds = [
    [/[a-z]/, 26],
    [/[A-Z]/, 26],
    [/[0-9]/, 10],
    [/ /, 1],
    [/[^a-zA-Z0-9 \P{ASCII}]/u, 32],
    [/\P{ASCII}/u, 100],
  ];
  const choices = kinds.reduce((sum, [kind, size]) => sum + (kind.test(text) ? size : 0), 0);
  return drawn * Math.log2(choices);
}

/** The length of the repeated part: 3 for `abcabcab`. Without a repetition, the length of the text. */
function periodOf(text) {
  for (let length = 1; length <= text.length / 2; length++) if (text.startsWith(text.slice(length))) return length;
  return text.length;
}

function offerToShow(input) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'small show';
  button.setAttribute('aria-controls', input.id);
  // Says which password it shows, if there are two.
  input.labels[0].id = `${input.id}-label`;
  button.setAttribute('aria-describedby', `${input.id}-label`);
  const set = (shown) => {
    input.type = shown ? 'text' : 'password';
    button.textContent = shown ? passwordWords.hide : passwordWords.show;
  };
  // A shown password is plain text to a browser. It must not be corrected or sent to a spell checker.
  input.spellcheck = false;
  input.autocapitalize = 'none';
  set(false);
  button.addEventListener('click', () => set(input.type === 'password'));
  // Hidden again before it is sent, so that the browser does not suggest it in other forms.
  input.form.addEventListener('submit', () => set(false));
  input.after(button);
}

function sayHowStrong(input) {
  const meter = document.createElement('meter');
  Object.assign(meter, { min: 0, max: 3, low: 1, high: 2, optimum: 3, hidden: true });
  // The word beside it says the same.
  meter.setAttribute('aria-hidden', 'true');
  const word = document.createElement('p');
  word.className = 'hint';
  word.setAttribute('aria-live', 'polite');
  const { elements, dataset } = input.form;
  const rate = () => {
    const own = { email: elements.email?.value, name: elements.display_name?.value ?? dataset.name };
    const { level, says } = verdictOn(input.value, own);
    meter.hidden = input.value === '';
    meter.value = level;
    const said = meter.hidden ? '' : says;
    if (word.textContent !== said) word.textContent = said;
  };
  // The error belongs to the password that was sent.
  const refused = input.parentElement.querySelector('.error');
  const forget = () => {
    refused.hidden = true;
    input.removeAttribute('aria-invalid');
  };
  if (refused) input.addEventListener('input', forget, { once: true });
  for (const field of [input, elements.display_name]) field?.addEventListener('input', rate);
  input.parentElement.append(meter, word);
}

for (const input of document.querySelectorAll('input[type="password"]')) {
  offerToShow(input);
  if (input.autocomplete === 'new-password') sayHowStrong(input);
}
