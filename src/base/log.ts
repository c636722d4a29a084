import { AsyncLocalStorage } from 'node:async_hooks';
import type { AppId, UserId } from './ids.ts';
import { onNobodysAccount } from './thread-time.ts';

export type LogEntry = Readonly<Record<string, unknown>>;

/** The log, independent of the library that writes it. */
export type Log = {
  info(entry: LogEntry, message: string): void;
  warn(entry: LogEntry, message: string): void;
  error(entry: LogEntry, message: string): void;
};

/** What a call belongs to, for the log: an HTTP request or an operator's command. It never influences a decision. */
export type RequestContext = {
  readonly requestId?: string;
  /** The trace that the request belongs to, while traces are recorded. */
  readonly traceId?: string;
  /** The caller's address as rate limits count it: all of IPv4, the first 64 bits of IPv6. */
  readonly client?: string;
  /** Known once the caller is authenticated. */
  appId?: AppId;
  userId?: UserId;
  /** The id of the server API key that called. */
  keyId?: string;
  /** Why the call was refused: a problem's code, or an error of OAuth. */
  code?: string;
  /** The fields of the input that were wrong, such as `amount, user`. Names only, never values. */
  fields?: string;
  /** Set by a command, and by a page of the operators' console. */
  actor?: 'operator';
  /** The command's name without its arguments, such as `apps keys issue`. */
  command?: string;
  /** The operating system's user who runs the command. */
  readonly osUser?: string;
};

/**
 * Follows a call through everything it awaits. So a feature can log whose call it serves, without every function passing
 * that on. It is neither input nor output, so it may live here, where every module can read it.
 */
const storage = new AsyncLocalStorage<RequestContext | undefined>();

/** Runs `work`, and everything it awaits, as part of this call. */
export function withContext<T>(context: RequestContext, work: () => T): T {
  return storage.run(context, work);
}

/** Runs work that several calls share outside of any call. Otherwise it would belong to the call that happened to begin it. */
export function outsideContext<T>(work: () => T): T {
  return storage.run(undefined, () => onNobodysAccount(work));
}

/** The context of the current call; undefined outside of one, as in a background loop. */
export function currentContext(): Readonly<RequestContext> | undefined {
  return storage.getStore();
}

/** Who a call is from. */
export type CallerIdentity = {
  readonly appId?: AppId | undefined;
  readonly userId?: UserId | undefined;
  readonly keyId?: string | undefined;
};

/** Stores who the current call is from, once the caller is authenticated. */
export function identifyCaller({ appId, userId, keyId }: CallerIdentity): void {
  const context = storage.getStore();
  if (!context) return;
  if (appId !== undefined) context.appId = appId;
  if (userId !== undefined) context.userId = userId;
  if (keyId !== undefined) context.keyId = keyId;
}

/** Stores that the caller acts as an operator. */
export function identifyOperator(): void {
  const context = storage.getStore();
  if (context) context.actor = 'operator';
}

/** Stores why the current call is refused. `fields`: the names of those that were wrong; empty if none was. */
export function noteRefusal(code: string, fields = ''): void {
  const context = storage.getStore();
  if (!context) return;
  context.code = code;
  if (fields !== '') context.fields = fields;
}
