import { Counter, Histogram, type Registry } from 'prom-client'
import type { Db } from '../database/database.ts'
import { registerSampled } from '../lib/sampled.ts'
import { countDisabled, countPending, findOverdueSeconds, MAX_COUNTED } from './store-metrics.ts'
import type { Finished } from './store-queue.ts'

/** Registers what waits to be sent; returns what is to be told of each attempt. */
export function webhookMetrics(registry: Registry, db: Db): (finished: Finished) => void {
  const registers = [registry]
  const attempts = new Counter({
    name: 'recto_webhook_attempts_total',
    help: 'Attempts to deliver: `succeeded`, `retry` (another one follows), `failed` (it was the last), `blocked` (the address is not public).',
    labelNames: ['outcome'],
    registers,
  })
  for (const outcome of ['succeeded', 'retry', 'failed', 'blocked']) attempts.inc({ outcome }, 0)
  const seconds = new Histogram({
    name: 'recto_webhook_attempt_seconds',
    help: 'Time that receivers took to respond, or until the attempt ended.',
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 15],
    registers,
  })
  registerSampled(registry, [
    {
      name: 'recto_webhook_deliveries_pending',
      help: `Deliveries that wait or are under way, of enabled webhooks; ${MAX_COUNTED} stands for more.`,
      sample: () => countPending(db),
    },
    {
      name: 'recto_webhook_oldest_due_seconds',
      help: 'How long the delivery that waits longest is overdue; 0 when none is.',
      sample: () => findOverdueSeconds(db),
    },
    {
      name: 'recto_webhooks_disabled',
      help: 'Disabled webhooks, by who disabled them: an admin, or the service because the receiver is gone or was failing.',
      label: 'reason',
      sample: () => countDisabled(db),
    },
  ])
  return ({ status, attempt }) => {
    attempts.inc({ outcome: status === 'pending' ? 'retry' : status })
    seconds.observe(attempt.durationMs / 1000)
  }
}
