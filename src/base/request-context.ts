import { AsyncLocalStorage } from 'node:async_hooks';

/** What a call is part of, for the log: an HTTP request, or a command of the operator. Nothing is ever decided by it. */
export type RequestContext = {
  readonly requestId?: string;
  /** Where the request comes from, as it is counted: IPv4 whole, IPv6 by its first 64 bits. */
  readonly client?: string;
  /** Known once the caller has proved who they are. */
  appId?: string;
  userId?: string;
  readonly actor?: 'operator';
  /** `apps keys issue`: the command's name, without what it was given. */
  command?: string;
  /** Who runs the command, as the operating system names them. */
  readonly osUser?: string;
};

/**
 * Follows a call through all that it awaits, so that a use-case can say in the log whose call it works for without every function
 * between it and the edge passing that on. It is no input and no output, so it may live here, where every module can read it.
 */
const storage = new AsyncLocalStorage<RequestContext | undefined>();

/** Runs `work`, and whatever it awaits, as part of this call. */
export function withContext<T>(context: RequestContext, work: () => T): T {
  return storage.run(context, work);
}

/** Runs work that several calls share as part of none: it would otherwise go on as part of the call that happened to begin it. */
export function outsideContext<T>(work: () => T): T {
  return storage.run(undefined, work);
}

/** The context of the call under way; undefined outside of one, as in a background loop. */
export function currentContext(): Readonly<RequestContext> | undefined {
  return storage.getStore();
}

/** Notes who the call under way is from, once they have proved it. */
export function identifyCaller({ appId, userId }: { readonly appId?: string; readonly userId?: string }): void {
  const context = storage.getStore();
  if (!context) return;
  if (appId !== undefined) context.appId = appId;
  if (userId !== undefined) context.userId = userId;
}
