import { registerSampled } from '@recto/lib/sampled.ts'
import { Counter, Histogram, type Registry } from 'prom-client'
import type { Db } from '../../platform/database/database.ts'
import { countDisabled, countPending, findOverdueSeconds, MAX_COUNTED } from './store.ts'
import type { FinishedAttempt } from './store-queue.ts'

/** Registers the metrics of deliveries; returns the observer of attempts. */
export function webhookMetrics(registry: Registry, db: Db): (finishedAttempt: FinishedAttempt) => void {
  const registers = [registry]
  const attempts = new Counter({
    name: 'recto_webhook_attempts_total',
    help:
      'Delivery attempts: `succeeded`, `retry` (another one follows), `failed` (it was the last), ' +
      '`blocked` (the address is not public).',
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
      help: `Pending deliveries of enabled webhooks, at most ${MAX_COUNTED}.`,
      sample: () => countPending(db),
    },
    {
      name: 'recto_webhook_oldest_due_seconds',
      help: 'How long the oldest due delivery is overdue; 0 if none is.',
      sample: () => findOverdueSeconds(db),
    },
    {
      name: 'recto_webhooks_disabled',
      help: 'Disabled webhooks by reason: by an admin, or by the service because the receiver is gone or was failing.',
      label: 'reason',
      sample: () => countDisabled(db),
    },
  ])
  return ({ status, attempt }) => {
    attempts.inc({ outcome: status === 'pending' ? 'retry' : status })
    seconds.observe(attempt.durationMs / 1000)
  }
}
