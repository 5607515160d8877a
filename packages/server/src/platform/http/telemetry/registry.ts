import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'

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
