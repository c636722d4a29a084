/** Spans of a trace (OpenTelemetry), independent of the library that records them. */

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export type SpanDetails = {
  /** `server`: we answer somebody. `client`: we ask somebody. */
  readonly kind?: 'internal' | 'server' | 'client';
  readonly attributes?: SpanAttributes;
  /** Only as part of another span: what loops do all the time would fill a collector. */
  readonly inner?: true;
  /** The first of a trace: work that many calls share belongs to none of them. */
  readonly root?: true;
  /** The header `traceparent` of whoever asked us (W3C Trace Context). */
  readonly traceparent?: string | undefined;
};

export type OpenSpan = {
  readonly traceId: string;
  /** Runs work whose spans belong to this one. */
  within<T>(work: () => T): T;
  end(outcome?: { readonly attributes?: SpanAttributes; readonly error?: unknown }): void;
};

export type BeginSpan = (name: string, details: SpanDetails) => OpenSpan | undefined;

/** Of the process, as the log's context is. Undefined while nothing is traced: then a span costs one comparison. */
let begin: BeginSpan | undefined;

/** Turns tracing on, or off with `undefined`. */
export function traceWith(tracer: BeginSpan | undefined): void {
  begin = tracer;
}

/** Begins a span that the caller ends. Undefined if it is not traced. */
export function beginSpan(name: string, details: SpanDetails = {}): OpenSpan | undefined {
  return begin?.(name, details);
}

/** Runs work as a span. An error of the work marks it. */
export async function traced<T>(name: string, details: SpanDetails, work: () => Promise<T>): Promise<T> {
  const span = begin?.(name, details);
  if (!span) return work();
  try {
    const result = await span.within(work);
    span.end();
    return result;
  } catch (error) {
    span.end({ error });
    throw error;
  }
}
