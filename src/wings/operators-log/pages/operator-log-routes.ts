import type { FastifyRequest } from 'fastify';
import { csvPieces } from '../../../base/csv.ts';
import { Problem } from '../../../base/problems.ts';
import { sendConsolePage } from '../../../pages/consoles/console.ts';
import { type OperatorRoutes, operatorPage } from '../../../pages/consoles/operator-frame.ts';
import type { Service } from '../../../service/service.ts';
import { sendCsv } from '../../../web/csv.ts';
import { parameter } from '../../../web/request-parameters.ts';
import { sendFile } from '../../../web/send-file.ts';
import { isFresh, signInAddress } from '../../../web/visitor.ts';
import { readHead } from '../store/chain.ts';
import { readCheck } from '../store/entries.ts';
import { ENTRY_COLUMNS, type NamedEntry } from '../views/entry-columns.ts';
import { exportLines } from '../views/export-log.ts';
import { type LogPage, type LogSearch, searchLog, showLogEntry, withoutEmail } from '../views/read-log.ts';
import { readLogKeys, signHead } from '../views/sign-head.ts';
import { entriesContent } from './entries-page.ts';
import { type AskedEntries, entriesAddress, LOG_PATH, readAskedEntries, searchIn } from './entry-filters.ts';
import { entryContent } from './entry-page.ts';

const PER_PAGE = 50;
const PER_READ = 500;

/**
 * GET /operator/log lists the entries of the operator's log, newest first, and …/log/{sequence} shows one. `before`: the last of the previous
 * page. Entries say from which network addresses players acted, so they need a fresh sign-in. The signed head and the key name nobody.
 */
export function operatorLogRoutes(operators: OperatorRoutes, service: Service): void {
  const { db } = service;
  operators.get(LOG_PATH, async (request, reply, visitor) => {
    const asked = readAskedEntries(request.query);
    // Here and not before, so that no e-mail address gets into that of the sign-in page.
    if (!isFresh(visitor.session)) return reply.redirect(signInAddress(addressToShare(asked), true), 303);
    const before = cursorOf(request);
    const shown = await withoutEmails(service, asked);
    if (shown !== asked) return reply.redirect(entriesAddress(shown), 303);
    const [page, head, check] = await Promise.all([
      searchLog(service, searchIn(asked), PER_PAGE, before),
      readHead(db),
      readCheck(db),
    ]);
    const content = entriesContent({ ...page, asked, isLater: before !== null, head, check });
    return sendConsolePage(reply, operatorPage(visitor, 'log', content));
  });
  operators.get(`${LOG_PATH}/:sequence`, { fresh: true }, async (request, reply, visitor) => {
    const { sequence } = request.params as { sequence: string };
    if (!/^[1-9]\d{0,14}$/.test(sequence)) throw new Problem('not-found', 'There is no such entry.');
    const { entries, names } = await showLogEntry(service, BigInt(sequence));
    return sendConsolePage(reply, operatorPage(visitor, 'log', entryContent({ view: entries[0]!, names })));
  });
  fileRoutes(operators, service);
}

/** The entries as files, the signed head, and the key that signs it. */
function fileRoutes(operators: OperatorRoutes, service: Service): void {
  const fresh = { fresh: true } as const;
  operators.get(`${LOG_PATH}/csv`, fresh, async (request, reply, visitor) => {
    const search = searchIn(readAskedEntries(request.query));
    return sendCsv(reply, visitor, 'operator-log', () => entryLines(service, search));
  });
  operators.get(`${LOG_PATH}/export`, fresh, async (_request, reply, { user }) =>
    sendFile(reply, user, { name: 'operator-log.jsonl', type: 'application/jsonl; charset=utf-8' }, () =>
      exportLines(service),
    ),
  );
  operators.get(`${LOG_PATH}/head`, async (_request, reply, { user }) => {
    const { sequence, jws } = await signHead(service);
    const file = { name: `operator-log-head-${sequence}.txt`, type: 'text/plain; charset=utf-8' };
    return sendFile(reply, user, file, () => `${jws}\n`);
  });
  operators.get(`${LOG_PATH}/key`, async (_request, reply, { user }) =>
    sendFile(
      reply,
      user,
      { name: 'operator-log-key.json', type: 'application/jwk-set+json; charset=utf-8' },
      async () => JSON.stringify(await readLogKeys(service), null, 2),
    ),
  );
}

/** The lines of a CSV file with the entries that match, newest first. Reads the next ones after the last were sent. */
function entryLines(service: Service, search: LogSearch): AsyncGenerator<string> {
  return csvPieces(Object.values(ENTRY_COLUMNS), entryPages(service, search));
}

async function* entryPages(service: Service, search: LogSearch): AsyncGenerator<readonly NamedEntry[]> {
  let before: bigint | null = null;
  do {
    const { entries, names, next }: LogPage = await searchLog(service, search, PER_READ, before);
    yield entries.map((view) => ({ view, names }));
    before = next;
  } while (before !== null);
}

function addressToShare({ who, subject, ...asked }: AskedEntries): string {
  const isEmail = `${who ?? ''}${subject ?? ''}`.includes('@');
  return entriesAddress({ ...asked, ...(!isEmail && who && { who }), ...(!isEmail && subject && { subject }) });
}

/** An e-mail address that was typed does not stay in the address. */
async function withoutEmails(service: Service, asked: AskedEntries): Promise<AskedEntries> {
  const { who = '', subject = '' } = asked;
  if (!`${who}${subject}`.includes('@')) return asked;
  const [actor, about] = await Promise.all([who, subject].map((text) => withoutEmail(service, text)));
  return { ...asked, ...(actor && { who: actor }), ...(about && { subject: about }) };
}

function cursorOf({ query }: FastifyRequest): bigint | null {
  const before = parameter(query, 'before');
  if (before === undefined) return null;
  if (!/^[1-9]\d{0,14}$/.test(before)) throw new Problem('invalid-input', 'The cursor is not valid.');
  return BigInt(before);
}
