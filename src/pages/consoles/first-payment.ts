import { html } from 'hono/html';
import type { Bases } from '../../config/bases.ts';
import type { Markup } from '../../web/layout.ts';

/** The variable of the shell that holds the server API key, in everything that we print. */
export const KEY_HEADER = `-H "Authorization: Bearer $QUARTERS_SERVER_KEY"`;

export type ShellStep = {
  readonly title: string;
  readonly about: Markup;
  readonly command: string;
  /** What the command is, for screen readers. */
  readonly label: string;
};

/** What is paid, in quarters: the gift for the guest, and what the guest then pays. */
const GIFT = 100;
const PRICE = 5;

const JSON_HEADER = `-H 'Content-Type: application/json'`;

/** Reads a field of a JSON answer with what every shell has. */
const FIELD = `field() { sed -E "s/.*\\"$1\\": *\\"([^\\"]*)\\".*/\\\\1/"; }`;

/**
 * A payment from start to end, as commands of a shell (bash or zsh, with curl) that are run in this order in one window, as they stand.
 * Before them, the window needs `QUARTERS_SERVER_KEY`. `appId` and `account` are the app's, or variables of the shell.
 */
export function firstPayment({ api, devApi, approval }: Bases, appId: string, account: string): ShellStep[] {
  const post = (url: string, bearer: string, body: string) =>
    `curl -sS ${url} \\\n  ${bearer} \\\n  ${JSON_HEADER} \\\n  -d "${body.replaceAll('"', '\\"')}"`;
  return [
    {
      title: 'Create a guest',
      about: html`A guest plays at once, without signing up. The answer holds an id, an access token for the API, and a token for our pages.`,
      command: `${FIELD}
GUEST=$(curl -sS -X POST ${devApi}/v1/new-guest \\
  ${KEY_HEADER}); echo "$GUEST"
USER_ID=$(echo "$GUEST" | field user_id)
ACCESS_TOKEN=$(echo "$GUEST" | field access_token)
PAGE_TOKEN=$(echo "$GUEST" | field firebase_token)`,
      label: 'call that creates a guest',
    },
    {
      title: 'Pay the guest',
      about: html`From the account of your app, which needs ${GIFT} quarters for it. The answer is final. The balance follows with the next block.`,
      command: `${post(`${api}/v1/accounts/${account}/transfer`, KEY_HEADER, `{"amount": ${GIFT}, "user": "$USER_ID"}`)}; echo`,
      label: 'call that pays the guest',
    },
    {
      title: 'Ask for a payment',
      about: html`This is the game’s call, with the guest’s access token. It prints the address of a page. Open it and approve, as your player would.`,
      command: `REQUEST=$(${post(
        `${api}/v1/requests`,
        `-H "Authorization: Bearer $ACCESS_TOKEN"`,
        `{"tokens": ${PRICE}, "appId": "${appId}", "description": "A shield"}`,
      )} | field id)
echo "${approval}/requests/$REQUEST?inline=true&firebase_token=$PAGE_TOKEN"`,
      label: 'call that asks for a payment',
    },
    {
      title: 'Read the outcome',
      about: html`Give nothing before your server has read this. A browser can be made to say anything.`,
      command: `curl -sS ${api}/v1/requests/$REQUEST \\\n  ${KEY_HEADER}; echo`,
      label: 'call that reads the payment',
    },
  ];
}
