import * as otel from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import { type RequestObserver, setTraceId } from './requests.ts'

/** Spans of requests and of their statements, exported by OpenTelemetry. Disposing it exports the rest. */
export interface Tracing extends AsyncDisposable {
  /** Begins a span for each request, as a child of the one in its `traceparent`, and ends it. */
  readonly observer: RequestObserver
  /** Runs hooks and handlers in the context of the span of their request. */
  enter(request: FastifyRequest, reply: FastifyReply, next: () => void): void
  /** A statement was executed; ignored outside a request. */
  statement(name: string, ms: number): void
}

export interface TracingOptions {
  readonly version: string
  readonly log: Pick<FastifyBaseLogger, 'warn'>
}

type RequestContexts = WeakMap<FastifyRequest, otel.Context>

/** An unreachable collector must not delay the shutdown. */
const FLUSH_MS = 2_000

/** Starts the SDK, which reads the exporter, the sampler and the service name from the variables `OTEL_*`. */
export function startTracing({ version, log }: TracingOptions): Tracing {
  const warn = (message: string) => log.warn({ otel: message }, 'traces are not sent')
  otel.diag.setLogger(
    { error: warn, warn, info() {}, debug() {}, verbose() {} },
    { logLevel: otel.DiagLogLevel.WARN, suppressOverrideMessage: true },
  )
  const provider = createProvider(version)
  provider.register()
  const tracer = provider.getTracer('recto', version)
  const contexts: RequestContexts = new WeakMap()

  return {
    observer: requestSpans(tracer, contexts),
    enter: (request, _reply, next) => otel.context.with(contexts.get(request) ?? otel.context.active(), next),
    statement(name, ms) {
      // Work that a request began may outlive it.
      if (!otel.trace.getActiveSpan()?.isRecording()) return
      const now = Date.now()
      tracer
        .startSpan(name, {
          kind: otel.SpanKind.CLIENT,
          startTime: now - ms,
          attributes: { 'db.system.name': 'postgresql', 'db.query.summary': name },
        })
        .end(now)
    },
    async [Symbol.asyncDispose]() {
      const limit = new Promise((resolve) => setTimeout(resolve, FLUSH_MS).unref())
      await Promise.race([provider.shutdown().catch(() => {}), limit])
    },
  }
}

function createProvider(version: string): NodeTracerProvider {
  return new NodeTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'recto', 'service.version': version }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  })
}

function requestSpans(tracer: otel.Tracer, contexts: RequestContexts): Tracing['observer'] {
  return {
    started(request) {
      const parent = otel.propagation.extract(otel.context.active(), request.headers)
      const attributes = { 'http.request.method': request.method, 'url.scheme': request.protocol }
      const span = tracer.startSpan(request.method, { kind: otel.SpanKind.SERVER, attributes }, parent)
      contexts.set(request, otel.trace.setSpan(parent, span))
      setTraceId(request, span.spanContext().traceId)
    },
    completed({ request, route, status }) {
      const span = getSpan(contexts.get(request))
      if (!span) return
      const principal = request.scope?.principalId
      span.updateName(`${request.method} ${route}`)
      span.setAttributes({
        'http.route': route,
        'http.response.status_code': status,
        'recto.request_id': request.id,
        ...(principal !== undefined && { 'enduser.id': principal }),
      })
      if (status >= 500) span.setStatus({ code: otel.SpanStatusCode.ERROR })
      span.end()
    },
  }
}

function getSpan(of: otel.Context | undefined): otel.Span | undefined {
  return of && otel.trace.getSpan(of)
}
