import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { RequestObserver } from './completion.ts'

/** A registry for Prometheus, with the metrics of the process and its release. */
export function createRegistry(version: string): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  new Gauge({
    name: 'recto_build_info',
    help: 'Always 1: the version of the release, and of Node.js, are its labels.',
    labelNames: ['version', 'node'],
    registers: [registry],
  }).set({ version, node: process.versions.node }, 1)
  return registry
}

/** Counts and times every request by route, never by URL. */
export function requestMetrics(registry: Registry): RequestObserver {
  const seconds = new Histogram({
    name: 'recto_http_request_duration_seconds',
    help: 'Time from the head of a request to the end of its response; status 499: the client left before.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  const open = new Gauge({
    name: 'recto_http_requests_open',
    help: 'Requests in progress, streams included.',
    registers: [registry],
  })
  return {
    started: () => open.inc(),
    completed({ request, route, status, ms }) {
      open.dec()
      seconds.observe({ method: request.method, route, status }, ms / 1000)
    },
  }
}
