import { isIP } from 'node:net';
import { type Finding, good } from '../../../diagnostics/findings/finding.ts';
import { loopbackUrl, resolvePublic } from '../../../webhooks/targets.ts';
import { listNewestTargets } from '../../../webhooks/webhook-endpoints.ts';
import type { Examination } from './examination.ts';

/** Enough to tell one game's mistake from name servers that cannot be reached. */
const MOST_TARGETS = 20;

/** Whether the names of webhook endpoints can be looked up from here. No endpoint is called. */
export async function checkWebhookNames({ database, installation }: Examination): Promise<Finding | null> {
  const db = await database();
  if (!db || !(await installation())) return null;
  const urls = (await listNewestTargets(db, MOST_TARGETS)).filter((url) => loopbackUrl(url) === null);
  const names = [...new Set(urls.map((url) => new URL(url).hostname))].filter((name) => isIP(name) === 0);
  if (names.length === 0) return good('No webhook endpoint has a name to look up.');
  const found = await Promise.all(names.map(resolvePublic));
  const lost = names.filter((_, i) => found[i]!.length === 0);
  if (lost.length === 0) return good('The names of webhook endpoints can be looked up.');
  const facts = lost.map((name) => ({ name: 'No address', value: name }));
  const docs = 'docs/operate/network.md#webhooks';
  if (lost.length < names.length) {
    const remedy = { says: 'The developers of these apps have to correct them.', docs };
    return {
      state: 'warning',
      says: `${lost.length} of ${names.length} names of webhook endpoints have no address.`,
      facts,
      remedy,
    };
  }
  const remedy = { says: 'Let this machine reach a name server: webhooks look names up nowhere else.', docs };
  return { state: 'bad', says: 'No name of a webhook endpoint can be looked up.', facts, remedy };
}
