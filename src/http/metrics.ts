import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Server } from './server.ts'

export interface Metrics {
  readonly registry: Registry
  text(): Promise<{ readonly contentType: string; readonly text: string }>
}

/** What Prometheus scrapes: the process, and each request by route, never by what it asked for. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return {
    registry,
    text: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  }
}

/** Counts and times every request. */
export function measureRequests(app: Server, { registry }: Metrics): void {
  const seconds = new Histogram({
    name: 'recto_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  const open = new Gauge({
    name: 'recto_http_requests_open',
    help: 'Requests that wait for their answer.',
    registers: [registry],
  })
  app.addHook('onRequest', async () => open.inc())
  app.addHook('onResponse', async (request, reply) => {
    open.dec()
    const route = request.routeOptions.url ?? 'none'
    seconds.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000)
  })
}
