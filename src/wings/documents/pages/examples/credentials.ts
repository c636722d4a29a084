import type { Call } from '../read-document.ts';

type Credential = {
  /** How a sentence names it. */
  readonly name: string;
  /** What stands for it in an example. */
  readonly placeholder: string;
  /** The variable of the shell that holds it in a command. */
  readonly variable: string;
};

/** The credentials of the description, by name. */
const CREDENTIALS: Readonly<Record<string, Credential>> = {
  accessToken: { name: 'a player’s access token', placeholder: '<access token>', variable: 'ACCESS_TOKEN' },
  guestToken: { name: 'a guest’s access token', placeholder: '<access token>', variable: 'ACCESS_TOKEN' },
  serverKey: { name: 'a server API key', placeholder: '<server API key>', variable: 'QUARTERS_SERVER_KEY' },
};

/** The ways to prove who calls: a name and the scopes that are needed. None for a public call. */
export function credentialsOf({ security }: Call): { name: string; scopes: readonly string[] }[] {
  return security.flatMap((scheme) =>
    Object.entries(scheme).map(([kind, scopes]) => ({ name: CREDENTIALS[kind]?.name ?? kind, scopes })),
  );
}

/** What an example sends as its credential; undefined for a public call. */
export function credentialOf({ security }: Call): Credential | undefined {
  const [kind] = Object.keys(security[0] ?? {});
  return kind === undefined ? undefined : CREDENTIALS[kind];
}

/** The address of the example, with its values in the path. */
export function exampleUrl({ server, path, inputs }: Call): string {
  return inputs
    .filter((input) => input.in === 'path')
    .reduce((url, { name, example }) => url.replace(`{${name}}`, encodeURIComponent(String(example))), server + path);
}

/** The body of the example; undefined where none is needed. */
export function exampleBody({ body }: Call): unknown {
  const isEmpty = JSON.stringify(body?.example ?? {}) === '{}';
  return isEmpty ? undefined : body?.example;
}

export function exampleOfKey({ inputs }: Call): unknown {
  return inputs.find(({ name }) => name === 'Idempotency-Key')?.example;
}
