import { Counter, Gauge, type Registry } from 'prom-client'

/** So long a scrape waits for a value that has to be asked for. */
const LIMIT_MS = 2_000

/** What a metric is given: one value, or one for each value of its label. */
type Sample = number | Readonly<Record<string, number>>

export interface SampledMetric {
  /** Absent: a gauge. A counter's value only grows while the process runs. */
  readonly type?: 'counter'
  readonly name: string
  readonly help: string
  /** The label that the members of a sample are the values of. */
  readonly label?: string
  /** The value where the sample has none; absent: then the scrape has none either. */
  readonly otherwise?: number
  /** Asked at each scrape. There is no value where it is undefined, rejects, or is not there in time. */
  readonly sample: () => Sample | undefined | Promise<Sample | undefined>
}

/** Registers metrics whose values are read when Prometheus scrapes: an unknown value is absent, never a stale one. */
export function registerSampled(registry: Registry, metrics: readonly SampledMetric[]): void {
  for (const { name, help, label, sample, type, otherwise } of metrics) {
    const once = shared(sample)
    const labelNames = label === undefined ? [] : [label]
    const settings = { name, help, labelNames, registers: [registry] }
    const collect = async (metric: Counter | Gauge) => {
      const value = (await withinLimit(once())) ?? otherwise
      metric.reset()
      // What `reset` leaves of a metric without labels is 0, which would be a claim.
      if (value === undefined) return label === undefined ? metric.remove() : undefined
      if (typeof value === 'number') return void metric.inc(value)
      for (const [name, each] of Object.entries(value)) metric.inc({ [label ?? '']: name }, each)
    }
    if (type === 'counter')
      new Counter({
        ...settings,
        collect() {
          return collect(this)
        },
      })
    else
      new Gauge({
        ...settings,
        collect() {
          return collect(this)
        },
      })
  }
}

/** One question at a time, so that scrapes of a database that hangs do not pile up. */
function shared<T>(ask: () => T | Promise<T>): () => Promise<T> {
  let asking: Promise<T> | undefined
  return () => {
    asking ??= (async () => ask())().finally(() => {
      asking = undefined
    })
    return asking
  }
}

async function withinLimit<T>(asked: Promise<T>): Promise<T | undefined> {
  const { promise: limit, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => resolve(undefined), LIMIT_MS)
  try {
    return await Promise.race([asked, limit])
  } catch {
    return undefined
  } finally {
    clearTimeout(timer)
  }
}
