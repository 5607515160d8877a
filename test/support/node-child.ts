/** A node in a process of its own, to be killed: configured by SVC_* variables, with short leases and time-outs. */
import { pino } from 'pino'
import { loadConfig } from '../../packages/server/src/platform/config.ts'
import { createApp } from './program.ts'

const app = await createApp(loadConfig(process.env), pino({ level: 'silent' }), {
  webhooks: {
    leaseMs: 4_000,
    transport: { timeoutMs: 1_000 },
    schedule: Array(20).fill(0.2),
    maxFailingSeconds: 3_600,
  },
})
process.stdout.write(`${app.address}\n`)
