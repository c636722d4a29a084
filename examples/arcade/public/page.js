// The page around the game: rounds, the purse, the shield, becoming a user. The server decides everything that counts.

import { play, showStill } from './game.js';
import { soundSwitch } from './sound.js';

const SHIELD_PRICE = 25;
const [field, panel, headline, story, playButton, shieldButton, notice, purse, quarters, who] = [
  'field',
  'panel',
  'headline',
  'story',
  'play',
  'shield',
  'notice',
  'purse',
  'quarters',
  'who',
].map((id) => document.getElementById(id));
const { clientId } = document.body.dataset;
const sound = soundSwitch(document.getElementById('sound'));
let player = null;

/** One call of the arcade's server. */
async function ask(path, body) {
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body ?? {}) };
  const response = await fetch(path, path === '/api/me' ? {} : post);
  const answer = await response.json();
  if (response.status === 401) showNobody();
  if (!response.ok) throw new Error(answer.message);
  return answer;
}

/** Nobody is signed in: the next round creates a guest. */
function showNobody() {
  player = null;
  purse.hidden = true;
  shieldButton.hidden = true;
  const link = Object.assign(document.createElement('a'), { href: '/sign-in', textContent: 'I have an account' });
  who.replaceChildren('No sign-up needed.', link);
}

async function refresh() {
  ({ player } = await ask('/api/me'));
  if (!player) return showNobody();
  if (!purse.hidden && player.quarters > Number(quarters.textContent)) {
    purse.classList.remove('richer');
    requestAnimationFrame(() => purse.classList.add('richer'));
  }
  purse.hidden = false;
  quarters.textContent = player.quarters;
  showShield();
  showWho();
}

/** Polls until the balance differs from `before`: a payment arrives with the next block. */
async function refreshUntilOther(before) {
  for (let looks = 0; looks < 20; looks++) {
    await refresh();
    if (player?.quarters !== before) return;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}

function showShield() {
  const { shields, quarters: balance } = player;
  shieldButton.hidden = false;
  shieldButton.disabled = shields > 0 || balance < SHIELD_PRICE;
  shieldButton.textContent = shields > 0 ? 'Shield ready ✓' : `Buy a shield for ${SHIELD_PRICE} quarters`;
}

function showWho() {
  who.replaceChildren();
  if (player.kind === 'user') return who.append(`Playing as ${player.name}. Your quarters are yours to keep.`);
  const button = document.createElement('button');
  button.textContent = 'Keep your quarters';
  button.addEventListener('click', () => signUp());
  who.append('Playing as a guest.', button);
}

/** Runs a button's action, once at a time, and shows its error. */
async function busy(button, run) {
  button.disabled = true;
  notice.textContent = '';
  try {
    await run();
  } catch (error) {
    notice.textContent = error.message;
    if (player) void refresh().catch(() => {});
  } finally {
    button.disabled = false;
    if (player) showShield();
  }
}

async function playRound() {
  const round = await ask('/api/rounds');
  panel.hidden = true;
  field.focus({ preventScroll: true });
  // If the field does not fit, show the end with the coin.
  field.scrollIntoView({ block: 'end' });
  if (!player) void refreshUntilOther(0).catch(() => {});
  const { score, taps } = await play(field, round, sound);

  headline.textContent = score === 1 ? '1 point' : `${score} points`;
  story.textContent = '';
  playButton.textContent = 'Play again';
  panel.hidden = false;
  playButton.focus();
  const before = player?.quarters;
  const { won, best } = await ask('/api/rounds/end', { id: round.id, taps });
  story.replaceChildren(score === best && score > 0 ? 'New best! ' : `Your best: ${best}. `);
  const words = document.createElement('strong');
  words.textContent = `You won ${won} quarters.`;
  story.append(won > 0 ? words : 'Score 10+ to win quarters.');
  // The next round does not wait for the balance.
  void (won > 0 ? refreshUntilOther(before) : refresh()).catch(() => {});
}

async function buyShield() {
  const before = player.quarters;
  const { requestId, pageToken } = await ask('/api/shields');
  if (requestId && !(await isPaid(requestId, pageToken))) return;
  notice.textContent = 'Your shield is ready. It takes one hit for you.';
  await refreshUntilOther(before);
}

/** Lets Quarters ask the player. Our server checks itself whether it was paid. */
async function isPaid(requestId, pageToken) {
  try {
    await Quarters.approve({ requestId, pageToken, clientId });
  } catch (error) {
    if (error.code === 'declined') {
      notice.textContent = 'No shield bought. Nothing was taken.';
      return false;
    }
    // The player may have decided before closing the page.
    if (error.code !== 'closed') throw error;
  }
  await ask('/api/shields/paid', { requestId });
  return true;
}

/** Opens a window, or, on a phone, replaces this page: then the server finds the code in the address. */
async function signUp(mode = matchMedia('(pointer: coarse)').matches ? 'redirect' : 'popup') {
  notice.textContent = '';
  try {
    const asked = ask('/api/sign-up');
    const [token, codeChallenge] = ['token', 'codeChallenge'].map((name) => asked.then((answer) => answer[name]));
    const redirectUri = `${location.origin}/back`;
    const { code } = await Quarters.signUpGuest({ clientId, token, codeChallenge, mode, redirectUri });
    await ask('/api/sign-up/code', { code });
    await refresh();
    notice.textContent = 'Welcome! Your quarters are yours to keep.';
  } catch (error) {
    if (error.fallback) return signUp(error.fallback);
    notice.textContent = error.message;
  }
}

playButton.addEventListener('click', () => busy(playButton, playRound).finally(() => playButton.focus()));
shieldButton.addEventListener('click', () => busy(shieldButton, buyShield));
addEventListener('resize', () => panel.hidden || showStill(field));
showStill(field);
if (location.search) {
  notice.textContent = 'That didn’t work. Please try again.';
  history.replaceState(null, '', '/');
}
void refresh().catch((error) => {
  notice.textContent = error.message;
});
