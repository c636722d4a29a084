import type { TestContext } from 'node:test';
import { atEnd } from './at-end.ts';

export type StreamEvent = { readonly event: string; readonly id: string | undefined; readonly data: unknown };

export type EventStream = {
  readonly status: number;
  readonly headers: Headers;
  /** The next event with content; null if the stream has ended. */
  next(): Promise<StreamEvent | null>;
  /** The remaining events, up to the end. */
  rest(): Promise<StreamEvent[]>;
  close(): void;
};

/** Requests server-sent events as a browser does. Ends with the test. */
export async function openStream(
  t: TestContext,
  url: string,
  headers: Record<string, string> = {},
): Promise<EventStream> {
  const leaving = new AbortController();
  atEnd(t, () => leaving.abort());
  const response = await fetch(url, { headers: { accept: 'text/event-stream', ...headers }, signal: leaving.signal });
  const events = eventsOf(response);
  const next = async () => {
    const { value, done } = await events.next();
    return done ? null : value;
  };
  return {
    status: response.status,
    headers: response.headers,
    next,
    async rest() {
      const all: StreamEvent[] = [];
      for (let event = await next(); event; event = await next()) all.push(event);
      return all;
    },
    close: () => leaving.abort(),
  };
}

async function* eventsOf(response: Response): AsyncGenerator<StreamEvent, void> {
  let text = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const fields = new Map(text.slice(0, end).split('\n').map(fieldOf));
      text = text.slice(end + 2);
      const data = fields.get('data');
      if (data !== undefined)
        yield { event: fields.get('event') ?? 'message', id: fields.get('id'), data: JSON.parse(data) };
    }
  }
}

function fieldOf(line: string): [string, string] {
  const colon = line.indexOf(': ');
  return [line.slice(0, colon), line.slice(colon + 2)];
}
