/** What is said of an error in the log. */
type LoggedError = {
  readonly type: string;
  readonly message: string;
  readonly stack?: string;
  readonly code?: string;
  readonly [fact: string]: unknown;
};

/** Of a database's error: where to look. Its `detail` and `where` are left out, as they quote the row or the value that did not fit. */
const DATABASE_FACTS = ['severity', 'table', 'column', 'constraint', 'routine'];
const DEPTH = 3;

/**
 * An error without what it carries of somebody's data. Libraries hang requests, rows and answers on their errors, so only what is named
 * here is taken. PostgreSQL's data exceptions (SQLSTATE class 22) and a parser's errors quote the value in the message too.
 */
export function loggedError(thrown: unknown, depth = 0): LoggedError {
  if (!(thrown instanceof Error)) return { type: typeof thrown, message: 'something that is no Error was thrown' };
  const { code, cause } = thrown as { code?: unknown; cause?: unknown };
  const quotesInput = thrown instanceof SyntaxError || (typeof code === 'string' && /^22[0-9A-Z]{3}$/.test(code));
  const message = quotesInput ? thrown.message.replace(/".*"/s, '"…"') : thrown.message;
  const fields = thrown as unknown as Record<string, unknown>;
  return {
    type: thrown.name,
    message,
    ...(thrown.stack && { stack: thrown.stack.replace(thrown.message, () => message) }),
    ...(typeof code === 'string' && { code }),
    ...Object.fromEntries(
      DATABASE_FACTS.filter((name) => typeof fields[name] === 'string').map((name) => [name, fields[name]]),
    ),
    ...(cause instanceof Error && depth < DEPTH && { cause: loggedError(cause, depth + 1) }),
  };
}
