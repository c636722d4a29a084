import { connect, createServer, type Socket } from 'node:net';

/** What passed since the proxy was started. A transaction is one with BEGIN, or a single statement. */
export type Counts = {
  readonly statements: number;
  readonly transactions: number;
  readonly roundTrips: number;
  /** Only transactions that insert into this table, by its name. */
  readonly inserting: Readonly<Record<string, { readonly transactions: number; readonly roundTrips: number }>>;
};

/** Answers take that long, so that what is sent together has all been sent when the first answer arrives. */
const DISTANCE_MS = 2;

/**
 * A way to a PostgreSQL server that counts what passes, message by message, as the "Message Flow" chapter of its manual describes them.
 * BEGIN and COMMIT count as statements. A round trip begins when a client writes after it has got the whole answer to the last one.
 */
export async function startCountingProxy(databaseUrl: string, tables: readonly string[]) {
  const target = new URL(databaseUrl);
  const counts = { statements: 0, transactions: 0, roundTrips: 0 };
  const inserting = Object.fromEntries(tables.map((table) => [table, { transactions: 0, roundTrips: 0 }]));
  const patterns = tables.map((table) => [table, new RegExp(`\\binsert\\s+into\\s+${table}\\b`, 'i')] as const);

  const watch = () => {
    const texts = new Map<string, string>();
    let isAnswered = true;
    let unanswered = 0;
    let open = { roundTrips: 0, tables: new Set<string>() };
    const statement = (text: string) => {
      counts.statements++;
      for (const [table, pattern] of patterns) if (pattern.test(text)) open.tables.add(table);
    };
    const fromClient = messageReader(false, (type, body) => {
      if (isAnswered && type !== 'X') {
        isAnswered = false;
        counts.roundTrips++;
        open.roundTrips++;
      }
      // Each of them is answered by a Z: statements that do not wait for each other are sent together.
      if (type === 'Q' || type === 'S') unanswered++;
      if (type === 'Q') statement(textAt(body, 0).text);
      if (type === 'P') {
        const name = textAt(body, 0);
        texts.set(name.text, textAt(body, name.end).text);
      }
      if (type === 'B') statement(texts.get(textAt(body, textAt(body, 0).end).text) ?? '');
    });
    const fromServer = messageReader(true, (type, body) => {
      if (type !== 'Z') return;
      unanswered = Math.max(0, unanswered - 1);
      isAnswered = unanswered === 0;
      // I: no transaction is open.
      if (body[0] !== 0x49 || open.roundTrips === 0) return;
      counts.transactions++;
      for (const table of open.tables) {
        inserting[table]!.transactions++;
        inserting[table]!.roundTrips += open.roundTrips;
      }
      open = { roundTrips: 0, tables: new Set() };
    });
    return { fromClient, fromServer };
  };

  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const server = connect({ host: target.hostname, port: Number(target.port), noDelay: true });
    client.setNoDelay(true);
    const { fromClient, fromServer } = watch();
    client.on('data', fromClient).pipe(server);
    server.on('data', (data: Buffer) => {
      setTimeout(() => {
        fromServer(data);
        if (!client.destroyed) client.write(data);
      }, DISTANCE_MS);
    });
    server.on('end', () => setTimeout(() => client.end(), DISTANCE_MS));
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy()).on('close', () => sockets.delete(one));
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const address = proxy.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: Object.assign(new URL(databaseUrl), { port: `${port}` }).href,
    read: (): Counts => ({ ...counts, inserting: structuredClone(inserting) }),
    stop() {
      proxy.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Splits a stream into messages. A client's first one, of the start, has no type. */
function messageReader(hasType: boolean, take: (type: string, body: Buffer) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let typed = hasType;
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (;;) {
      const head = typed ? 1 : 0;
      if (rest.length < head + 4) return;
      const end = head + rest.readInt32BE(head);
      if (rest.length < end) return;
      if (typed) take(String.fromCharCode(rest[0]!), rest.subarray(5, end));
      typed = true;
      rest = rest.subarray(end);
    }
  };
}

function textAt(body: Buffer, from: number): { readonly text: string; readonly end: number } {
  const end = body.indexOf(0, from);
  return { text: body.toString('utf8', from, end), end: end + 1 };
}
