import { isLoopback } from '../../../config/development.ts';
import type { Vault } from '../../../custody/vault.ts';
import { type Finding, good } from '../../../diagnostics/findings/finding.ts';
import { ANSWERS_WITHIN_MS, type Examination } from './examination.ts';
import { MARK_HEADER, makeMark, type SeenRequest } from './marks.ts';
import { visit } from './visit.ts';

const NETWORK = 'docs/operate/network.md';
const PROXY = 'docs/operate/doctor.md#the-public-address';
/** An address for documentation (RFC 5737), which no caller can have. */
const FORGED = '192.0.2.66';
/** The service sends two events a second apart. If they arrive this close, something has held the first one back. */
const TOGETHER_MS = 250;
const CERTIFICATE_DAYS = 14;
const DAY_MS = 86_400_000;

/** Whether PUBLIC_URL leads to this service, and what arrives of a request: proxies may change it. */
export async function checkPublicAddress(examination: Examination): Promise<Finding | Finding[]> {
  const { publicUrl, settings } = examination;
  const front = await examination.front();
  if (front.kind === 'failed') {
    const says = `Nothing answers at ${publicUrl}: ${front.reason}.`;
    if (front.isCertificate) return bad(says, 'Renew or correct the certificate of the proxy.', PROXY);
    const remedy = {
      says: 'If the service runs, see why this machine does not reach it. Otherwise start it.',
      docs: PROXY,
    };
    return { state: 'unknown', says, remedy };
  }
  if (front.status !== 200 || !front.body.includes('"ok"')) {
    const says = `What answers at ${publicUrl} is not the service: HTTP ${front.status} for /healthz.`;
    return bad(says, 'Let the proxy pass all paths on to the service.', PROXY);
  }
  const found = [...ofTls(publicUrl, front.headers, front.certificateEnds), ...(await ofOtherOrigins(examination))];
  const vault = await examination.vault();
  if (!vault) {
    found.push({ state: 'unknown', says: 'Without the master key, what arrives behind proxies cannot be seen.' });
    return found;
  }
  const seen = await askService(publicUrl, vault);
  if (!seen) {
    const says = `The service at ${publicUrl} has another database or another version.`;
    found.push(bad(says, 'Use the settings that the service runs with.', PROXY));
    return found;
  }
  found.push(
    ...ofHops(seen, publicUrl),
    ...ofHost(seen, publicUrl, settings.apiUrl),
    ...(await ofMetrics(publicUrl, seen)),
  );
  found.push(...(await ofStreams(publicUrl, vault)));
  if (found.length > 0) return found;
  const hops = hopsOf(seen);
  return good(
    `It leads here, ${hops === 0 ? 'without a proxy' : hops === 1 ? 'through one proxy' : `through ${hops} proxies`}.`,
    [
      { name: 'Seen as', value: seen.client },
      { name: 'X-Forwarded-Proto', value: seen.protocol ?? 'none' },
    ],
  );
}

const bad = (says: string, remedy: string, docs: string): Finding => ({
  state: 'bad',
  says,
  remedy: { says: remedy, docs },
});
const warning = (says: string, remedy: string, docs: string): Finding => ({
  ...bad(says, remedy, docs),
  state: 'warning',
});

function ofTls(publicUrl: string, headers: Readonly<Record<string, unknown>>, ends: Date | null): Finding[] {
  if (!publicUrl.startsWith('https:')) return [];
  const found: Finding[] = [];
  if (headers['strict-transport-security'] === undefined) {
    found.push(
      warning('The proxy removes Strict-Transport-Security.', 'Let it pass the header on.', `${NETWORK}#https`),
    );
  }
  const days = ends ? Math.floor((ends.getTime() - Date.now()) / DAY_MS) : Number.POSITIVE_INFINITY;
  if (days < CERTIFICATE_DAYS) {
    found.push(warning(`The certificate of ${publicUrl} ends in ${days} days.`, 'Renew it.', PROXY));
  }
  return found;
}

/** The API may have its own hosts. */
async function ofOtherOrigins({ settings, publicUrl }: Examination): Promise<Finding[]> {
  const others = [
    ['API_URL', settings.apiUrl],
    ['DEV_API_URL', settings.devApiUrl],
  ].filter(([, url]) => url !== undefined && url !== publicUrl);
  const found = await Promise.all(
    others.map(async ([name, url]) => {
      const seen = await visit(new URL('/healthz', url), {}, ANSWERS_WITHIN_MS);
      if (seen.kind === 'answered' && seen.status === 200) return [];
      const reason = seen.kind === 'failed' ? seen.reason : `HTTP ${seen.status}`;
      return [
        bad(
          `${name} (${url}) does not lead to the service: ${reason}.`,
          `Correct ${name}, or the proxy.`,
          `${NETWORK}#addresses`,
        ),
      ];
    }),
  );
  return found.flat();
}

/** Null if the service does not know the mark. */
async function askService(publicUrl: string, vault: Vault): Promise<SeenRequest | null> {
  const headers = { [MARK_HEADER]: makeMark(vault), 'x-forwarded-for': FORGED };
  const answer = await visit(new URL('/doctor', publicUrl), headers, ANSWERS_WITHIN_MS);
  if (answer.kind === 'failed' || answer.status !== 200) return null;
  try {
    return JSON.parse(answer.body) as SeenRequest;
  } catch {
    return null;
  }
}

/** Such as `2 proxies add`. */
const add = (hops: number) => (hops === 0 ? 'no proxy adds' : hops === 1 ? 'one proxy adds' : `${hops} proxies add`);

/** How many proxies have added the address of their caller. The first entry may be what we forged. */
const hopsOf = ({ forwardedFor }: SeenRequest) => forwardedFor.length - (forwardedFor[0] === FORGED ? 1 : 0);

function ofHops(seen: SeenRequest, publicUrl: string): Finding[] {
  const { trustProxy, client, forwardedFor } = seen;
  const hops = hopsOf(seen);
  const docs = `${NETWORK}#addresses`;
  // In a container, an address of this machine leads to the process itself, and the proxy is in another one.
  if (hops === 0 && forwardedFor.length > 0 && trustProxy > 0 && isLoopback(new URL(publicUrl).hostname)) {
    const says = 'Doctor reached the service without its proxy.';
    const remedy = { says: 'Set PUBLIC_URL to an address that leads to the proxy from here, too.', docs: PROXY };
    return [{ state: 'unknown', says, remedy }];
  }
  if (client === FORGED) {
    const says = `TRUST_PROXY is ${trustProxy}, but ${add(hops)} an address: callers choose theirs.`;
    return [bad(says, `Set TRUST_PROXY to ${hops}.`, docs)];
  }
  if (forwardedFor.length === 0) {
    const says = 'A proxy removes X-Forwarded-For, so all players share the limits of one address.';
    return [bad(says, 'Let it add the address of its caller, and set TRUST_PROXY.', docs)];
  }
  if (hops > trustProxy) {
    const says = `TRUST_PROXY is ${trustProxy}, but ${add(hops)} an address: all players share one.`;
    return [bad(says, `Set TRUST_PROXY to ${hops}.`, docs)];
  }
  if (hops < trustProxy) {
    const says = `TRUST_PROXY is ${trustProxy}, but ${add(hops)} an address.`;
    return [warning(says, `Set TRUST_PROXY to ${hops}.`, docs)];
  }
  return [];
}

function ofHost({ host }: SeenRequest, publicUrl: string, apiUrl: string | undefined): Finding[] {
  const expected = new URL(publicUrl).host;
  if (host === expected) return [];
  const says = `The proxy changes Host from ${expected} to ${host}.`;
  const remedy = 'Let it pass Host on unchanged: each host serves its own part.';
  return [apiUrl ? bad(says, remedy, `${NETWORK}#addresses`) : warning(says, remedy, `${NETWORK}#addresses`)];
}

/** On this machine and without a proxy, `/metrics` is for us. */
async function ofMetrics(publicUrl: string, seen: SeenRequest): Promise<Finding[]> {
  const isDirect = hopsOf(seen) === 0 && isLoopback(new URL(publicUrl).hostname);
  if (isDirect) return [];
  const answer = await visit(new URL('/metrics', publicUrl), {}, ANSWERS_WITHIN_MS);
  if (answer.kind === 'failed' || answer.status !== 200 || !answer.body.includes('quarters_')) return [];
  const says = `Everyone can read ${publicUrl}/metrics.`;
  return [bad(says, 'Leave the path out in the proxy, or set METRICS_PORT.', 'docs/operate/monitoring.md#metrics')];
}

async function ofStreams(publicUrl: string, vault: Vault): Promise<Finding[]> {
  const areHeld = async () => {
    const headers = { [MARK_HEADER]: makeMark(vault), accept: 'text/event-stream' };
    const answer = await visit(new URL('/doctor', publicUrl), headers, ANSWERS_WITHIN_MS);
    return answer.kind === 'answered' && answer.status === 200 && answer.bodyMs < TOGETHER_MS;
  };
  // Again, because this process may have been busy at the wrong moment.
  if (!(await areHeld()) || !(await areHeld())) return [];
  const says = 'The proxy holds streams back, so pages ask every few seconds instead.';
  return [warning(says, 'Turn buffering and compression off for text/event-stream.', `${NETWORK}#streams`)];
}
