// The page of the emulator. It does what a test does, through the same control API.

const token = location.hash.slice(1) || sessionStorage.getItem('token') || '';
sessionStorage.setItem('token', token);
// The address bar is on screens that are shared.
history.replaceState(null, '', location.pathname);

const LOOK_EVERY_MS = 1000;
const at = (id) => document.getElementById(id);

async function call(method, path, body) {
  const answer = await fetch(`/emulator/v1/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const json = answer.status === 204 ? null : await answer.json();
  if (!answer.ok) throw new Error(json?.message ?? `HTTP ${answer.status}`);
  return json;
}

function say(text, isBad) {
  at('said').textContent = text;
  at('said').classList.toggle('bad', isBad);
}

async function act(button, method, path, body) {
  button.disabled = true;
  try {
    await call(method, path, body);
    say('', false);
  } catch (error) {
    say(error.message, true);
  }
  button.disabled = false;
  await look();
}

document.addEventListener('click', (event) => {
  const button = event.target.closest('button[data-post], button[data-delete]');
  if (!button) return;
  const { post, body } = button.dataset;
  void act(button, post ? 'POST' : 'DELETE', post ?? button.dataset.delete, body && JSON.parse(body));
});

const OPERATIONS = [
  'any',
  'transfer',
  'createRequest',
  'autoApproveRequest',
  'getRequest',
  'getBalance',
  'createGuest',
];
const OUTCOMES = {
  'answer is lost': { answerIsLost: true },
  'answers after 30 s': { answersAfter: 30_000 },
  'reverted on chain': { isRevertedOnChain: true },
  'reorganized away': { isReorganizedAway: true },
  ...Object.fromEntries(
    ['insufficient-quarters', 'rate-limited', 'overloaded', 'outcome-unknown', 'payments-suspended', 'internal'].map(
      (code) => [`fails: ${code}`, { fails: code }],
    ),
  ),
};

at('next').addEventListener('submit', (event) => {
  event.preventDefault();
  const { operation, outcome, times } = event.target.elements;
  const body = { operation: operation.value, times: Number(times.value), outcome: OUTCOMES[outcome.value] };
  void act(event.submitter, 'POST', 'outcomes', body);
});

at('app').addEventListener('submit', async (event) => {
  event.preventDefault();
  const webhook = event.target.elements.webhook.value;
  try {
    at('made').textContent = JSON.stringify(await call('POST', 'apps', webhook ? { webhook } : {}), null, 2);
    say('', false);
  } catch (error) {
    say(error.message, true);
  }
});

const timeOf = (text) => new Date(text).toISOString().slice(11, 19);
const short = (id) => (id ? `${id.slice(0, 8)}…${id.slice(-4)}` : '');

function rows(id, list, cellsOf) {
  at(id).replaceChildren(
    ...list.map((one) => {
      const row = document.createElement('tr');
      for (const content of cellsOf(one)) {
        const cell = document.createElement('td');
        cell.append(content instanceof Node ? content : String(content));
        if (typeof content === 'string') cell.title = content;
        row.append(cell);
      }
      return row;
    }),
  );
}

function decision({ id, player, status }) {
  const cell = document.createElement('span');
  if (status !== 'pending') return cell;
  for (const what of ['approve', 'decline']) {
    const button = document.createElement('button');
    button.textContent = what;
    button.dataset.post = `players/${player}/${what}`;
    button.dataset.body = JSON.stringify({ request: id });
    cell.append(button);
  }
  return cell;
}

function option(text) {
  const made = document.createElement('option');
  made.textContent = text;
  return made;
}

async function look() {
  const [state, happened, outcomes, webhooks] = await Promise.all(
    ['state', 'happened', 'outcomes', 'webhooks'].map((path) => call('GET', path)),
  );
  const { port } = new URL(state.url);
  at('url').textContent = state.url;
  at('url').href = state.url;
  at('now').textContent = state.now.replace('T', ' ').slice(0, 19);
  at('frozen').textContent = state.frozen ? '(frozen)' : 'UTC';
  at('block').textContent = state.block;
  at('mode').textContent =
    typeof state.blocks === 'number'
      ? `one every ${state.blocks / 1000} s`
      : { instant: 'at once', manual: 'by hand' }[state.blocks];
  at('reverse').textContent = `adb reverse tcp:${port} tcp:${port}`;
  at('guest').textContent = `http://10.0.2.2:${port}`;
  at('reached').textContent = state.reachable ? '' : ', and the service cannot reach it';
  at('held').textContent = [
    ...webhooks.held.map((app) => `held: ${app}`),
    ...webhooks.armed.map(({ kind, times }) => `${kind}, ${times} left`),
  ].join('; ');
  rows('requests', happened.requests, (one) => [
    timeOf(one.at),
    short(one.id),
    short(one.player),
    one.amount,
    one.status,
    decision(one),
  ]);
  rows('events', happened.events, (one) => [timeOf(one.at), one.type, short(one.request), one.delivered, one.waiting]);
  rows('calls', happened.calls, (one) => [
    timeOf(one.at),
    `${one.method} ${one.path}`,
    one.status ?? 'no answer',
    one.ms,
  ]);
  rows('blocks', happened.blocks, (one) => [timeOf(one.at), one.number, short(one.hash), one.transactions]);
  at('armed').replaceChildren(
    ...outcomes.outcomes.map(({ operation, outcome, times }) => {
      const item = document.createElement('li');
      item.textContent = `${operation}: ${JSON.stringify(outcome)}, ${times} left`;
      return item;
    }),
  );
  const select = at('next').elements.operation;
  if (select.length === 0) {
    select.append(...OPERATIONS.map(option));
    at('next').elements.outcome.append(...Object.keys(OUTCOMES).map(option));
  }
  document.querySelector('main').hidden = false;
}

async function lookAgain() {
  try {
    if (!document.hidden) await look();
  } catch (error) {
    say(token ? error.message : 'Open the address that the emulator has printed: it ends with a token.', true);
  }
  setTimeout(lookAgain, LOOK_EVERY_MS);
}
void lookAgain();
