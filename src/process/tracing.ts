import { AsyncLocalStorage } from 'node:async_hooks';
import type { Span, SpanOptions } from '@opentelemetry/api';
import { type BeginSpan, type SpanDetails, traceWith } from '../base/spans.ts';
import type { Settings } from '../config/settings.ts';

type TraceSettings = Pick<Settings, 'traceEndpoint' | 'traceHeaders' | 'traceServiceName' | 'traceRatio'>;

export type Tracing = {
  /** Sends what is not sent yet, and ends tracing. */
  close(): Promise<void>;
};

/** The spans that a process keeps for sending. Beyond that they are dropped, so a collector that is away costs nothing more. */
const MOST_WAITING = 8_192;
const CLOSES_WITHIN_MS = 3_000;

/**
 * Sends traces to a collector as OTLP over HTTP (https://opentelemetry.io/docs/specs/otlp/), if one is set; otherwise null. The library
 * is loaded only then. Which traces are recorded follows from the trace id, so that all processes choose the same. A caller who sends
 * `traceparent` continues their trace; its flag that asks for recording is not followed.
 */
export async function openTracing(settings: TraceSettings): Promise<Tracing | null> {
  const { traceEndpoint, traceHeaders, traceServiceName, traceRatio } = settings;
  if (traceEndpoint === undefined) return null;
  const [api, { parseTraceParent }, { resourceFromAttributes }, sdk, { OTLPTraceExporter }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/core'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
  ]);
  const exporter = new OTLPTraceExporter({ url: `${traceEndpoint}/v1/traces`, headers: { ...traceHeaders } });
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({ 'service.name': traceServiceName }),
    sampler: new sdk.TraceIdRatioBasedSampler(traceRatio),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter, maxQueueSize: MOST_WAITING })],
  });
  const tracer = provider.getTracer('quarters');
  const current = new AsyncLocalStorage<Span>();
  const kinds = { internal: api.SpanKind.INTERNAL, server: api.SpanKind.SERVER, client: api.SpanKind.CLIENT };

  const begin: BeginSpan = (name, { kind = 'internal', attributes = {}, inner, root, traceparent }: SpanDetails) => {
    const options: SpanOptions = { kind: kinds[kind], attributes };
    const parent = root ? undefined : current.getStore();
    if (inner && !parent) return undefined;
    const remote = traceparent === undefined ? null : parseTraceParent(traceparent);
    const context = remote
      ? api.trace.setSpanContext(api.ROOT_CONTEXT, { ...remote, isRemote: true })
      : parent
        ? api.trace.setSpan(api.ROOT_CONTEXT, parent)
        : api.ROOT_CONTEXT;
    const span = tracer.startSpan(name, options, context);
    return {
      traceId: span.spanContext().traceId,
      within: (work) => current.run(span, work),
      end({ attributes: more, error } = {}) {
        if (more) span.setAttributes(more);
        // The class only: a message may quote what a caller sent.
        if (error !== undefined) span.setStatus({ code: api.SpanStatusCode.ERROR, message: classOf(error) });
        span.end();
      },
    };
  };
  traceWith(begin);
  return {
    async close() {
      traceWith(undefined);
      await provider.forceFlush({ timeoutMillis: CLOSES_WITHIN_MS }).catch(() => {});
      await provider.shutdown().catch(() => {});
    },
  };
}

function classOf(error: unknown): string {
  return error instanceof Error ? error.name : 'Error';
}
