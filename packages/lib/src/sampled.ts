import { Counter, Gauge, type Registry } from 'prom-client'
import { within } from './concurrency/within.ts'

/** How long a scrape waits for an asynchronous value. */
const LIMIT_MS = 2_000

/** The value of a metric: one, or one for each value of its label. */
type Sample = number | Readonly<Record<string, number>>

export interface SampledMetric {
  /** Absent: a gauge. The value of a counter must only grow. */
  readonly type?: 'counter'
  readonly name: string
  readonly help: string
  /** The label whose values are the members of a sample. */
  readonly label?: string
  /** The value if the sample has none; absent: then the scrape has none either. */
  readonly otherwise?: number
  /** Called at each scrape. There is no value if it is undefined, rejects, or is late. */
  readonly sample: () => Sample | undefined | Promise<Sample | undefined>
}

/** Registers metrics whose values are read when Prometheus scrapes: an unknown value is absent, never a stale one. */
export function registerSampled(registry: Registry, metrics: readonly SampledMetric[]): void {
  for (const { name, help, label, sample, type, otherwise } of metrics) {
    const once = shared(sample)
    const labelNames = label === undefined ? [] : [label]
    const settings = { name, help, labelNames, registers: [registry] }
    const collect = async (metric: Counter | Gauge) => {
      // Unknown if it is late.
      const value = (await within(LIMIT_MS, once(), () => new Error('late')).catch(() => undefined)) ?? otherwise
      metric.reset()
      // `reset` leaves a 0 for a metric without labels, which would be a false value.
      if (value === undefined) return label === undefined ? metric.remove() : undefined
      if (typeof value === 'number') return void metric.inc(value)
      for (const [name, each] of Object.entries(value)) metric.inc({ [label ?? '']: name }, each)
    }
    const Metric = type === 'counter' ? Counter : Gauge
    new Metric({
      ...settings,
      collect() {
        return collect(this)
      },
    })
  }
}

/** One call at a time, so that scrapes do not pile up when the database hangs. */
function shared<T>(ask: () => T | Promise<T>): () => Promise<T> {
  let pending: Promise<T> | undefined
  return () => {
    pending ??= (async () => ask())().finally(() => {
      pending = undefined
    })
    return pending
  }
}
