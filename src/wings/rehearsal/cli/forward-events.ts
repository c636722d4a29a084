import type { LookupFunction } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { AppId, EventId } from '../../../base/ids.ts';
import { Problem } from '../../../base/problems.ts';
import { type CliContext, type OutputOptions, withService } from '../../../cli/command.ts';
import { formatFacts, readableTime } from '../../../cli/format.ts';
import { appFor, OPERATOR } from '../../../service/managers.ts';
import type { Service } from '../../../service/service.ts';
import { EVENT_TYPES, type EventType } from '../../../webhooks/event-types.ts';
import type { AppEvent } from '../../../webhooks/events.ts';
import { redeliveredIn } from '../../../webhooks/redeliveries.ts';
import {
  cursorAt,
  eventsAgain,
  type FollowFrom,
  type Forwarded,
  forwardEvent,
  listenSecret,
  nextEvents,
} from '../features/follow-events.ts';

/** How soon an event is found. Its transaction notifies nobody, because notifying transactions commit one after the other. */
const LOOK_EVERY_MS = 300;
const RECONNECT_EVERY_MS = 2_000;

export type ListenOptions = OutputOptions & {
  readonly app: string;
  readonly forward?: string;
  readonly allowHost?: string;
  readonly type?: readonly EventType[];
  readonly since?: EventId;
  readonly all?: true;
  readonly printSecret?: true;
};

/** Where events go. The lookup leads to no other network. */
export type ForwardTarget = { readonly url: string; readonly lookup: LookupFunction };

/** `cursor`: where to continue; undefined at the start. */
type Listening = {
  readonly options: ListenOptions;
  readonly target: ForwardTarget;
  readonly signal: AbortSignal;
  cursor?: EventId | null;
};

/** Prints the secret that signs what is forwarded. */
export async function printSecret(context: CliContext, options: ListenOptions): Promise<void> {
  const secret = await withService(context, async (service) => {
    return listenSecret(service, (await appFor(service, OPERATOR, options.app, 'read')).id);
  });
  context.out.write(options.json ? `${JSON.stringify({ secret })}\n` : `${secret}\n`);
}

/** Follows until the command is stopped. If the service's database goes away, it waits for it. */
export async function follow(context: CliContext, listening: Listening): Promise<void> {
  const { signal } = listening;
  let isAway = false;
  while (!signal.aborted) {
    try {
      await withService(context, async (service) => {
        if (isAway) context.err.write('The service is back.\n');
        isAway = false;
        await forwardAll(context, service, listening);
      });
    } catch (error) {
      // Before the first look there is nothing to lose: the command is wrong, or no service runs.
      if (listening.cursor === undefined || error instanceof Problem) throw error;
      const { message } = error as Error;
      if (!isAway) context.err.write(`The service does not answer (${message}). Waiting for it; no event is lost.\n`);
      isAway = true;
      await pause(RECONNECT_EVERY_MS, signal);
    }
  }
}

async function forwardAll(context: CliContext, service: Service, listening: Listening): Promise<void> {
  const { options, target, signal } = listening;
  const app = await appFor(service, OPERATOR, options.app, 'read');
  const secret = listenSecret(service, app.id);
  if (listening.cursor === undefined) {
    const from: FollowFrom = options.since ?? (options.all ? 'oldest' : 'now');
    listening.cursor = await cursorAt(service.db, app.id, from);
    writeStart(context, listening, { app: app.name, secret });
  }
  const onUnreachable = () =>
    context.err.write(`Nothing answers at ${target.url}. Is your game running? Trying again.\n`);
  /** False if it was stopped meanwhile. */
  const sent = async (event: AppEvent) => {
    const forwarded = await forwardEvent(event, { ...target, secret, signal, onUnreachable });
    if (forwarded !== null) writeOutcome(context, listening, app.id, event, forwarded);
    return forwarded !== null;
  };
  const again = new Set<EventId>();
  const hearing = service.db.hearOthers((note) => {
    const id = redeliveredIn(note);
    if (id) again.add(id);
  });
  try {
    await forwardInOrder(service, listening, app.id, again, sent);
  } finally {
    await hearing.close();
  }
}

/** Until it is stopped. `again`: events that were asked for once more. */
async function forwardInOrder(
  { db }: Service,
  listening: Listening,
  appId: AppId,
  again: Set<EventId>,
  sent: (event: AppEvent) => Promise<boolean>,
): Promise<void> {
  const { signal } = listening;
  const types = listening.options.type ?? null;
  while (!signal.aborted) {
    const repeated = [...again];
    again.clear();
    for (const event of await eventsAgain(db, appId, repeated, types)) if (!(await sent(event))) return;
    const next = await nextEvents(db, appId, listening.cursor ?? null, types);
    for (const event of next.events) {
      if (!(await sent(event))) return;
      listening.cursor = event.id;
    }
    listening.cursor = next.cursor;
    if (next.isEnd) await pause(LOOK_EVERY_MS, signal);
  }
}

function writeStart(
  { out, err }: CliContext,
  { options, target: { url } }: Listening,
  facts: { app: string; secret: string },
): void {
  if (options.json) {
    out.write(`${JSON.stringify({ ...facts, forward: url })}\n`);
    return;
  }
  const { app, secret } = facts;
  const table = formatFacts([
    ['App', app],
    ['Forwarding to', url],
    ['Signing secret', secret],
  ]);
  out.write(`${table}\n`);
  err.write("The secret stays the same: set it once in your game's environment. Ctrl-C ends.\n");
}

function writeOutcome(
  { out, err }: CliContext,
  { options, target: { url } }: Listening,
  appId: AppId,
  event: AppEvent,
  forwarded: Forwarded,
): void {
  const { id, type, createdAt } = event;
  const { status, ok, attempts, milliseconds } = forwarded;
  if (options.json) {
    const facts = { id, type, timestamp: createdAt.toISOString(), status, ok, milliseconds, attempts };
    out.write(`${JSON.stringify(facts)}\n`);
  } else {
    out.write(`${readableTime(createdAt)}  ${type.padEnd(WIDEST)}  ${id}  ${outcomeText(forwarded)}\n`);
  }
  if (ok) return;
  if (forwarded.fault === 'tls') err.write(`${NO_TLS}\n`);
  const host = options.allowHost === undefined ? '' : ` --allow-host ${options.allowHost}`;
  const again = `npx quarters listen --app ${appId} --forward ${url}${host} --since ${id}`;
  err.write(
    `Not delivered after ${attempts === 1 ? 'one attempt' : `${attempts} attempts`}. To send it again, and all later ones: ${again}\n`,
  );
}

const WIDEST = Math.max(...EVENT_TYPES.map(({ length }) => length));

const NO_TLS =
  'It speaks no TLS, or its certificate is not trusted. NODE_EXTRA_CA_CERTS=<file> trusts your own authority.';

function outcomeText(forwarded: Forwarded): string {
  if (forwarded.status !== null) return `${forwarded.status}  ${forwarded.milliseconds} ms`;
  if (!forwarded.ok && forwarded.fault === 'tls') return 'no secure connection';
  return forwarded.ok || forwarded.fault === 'timeout' ? 'no answer within 10 seconds' : 'nothing answers';
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await delay(milliseconds, undefined, { signal }).catch(() => {});
}
