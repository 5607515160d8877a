/** Calls and characters of an agent's day over MCP: `node bench/agent-day.ts`; see README. */
import { join } from 'node:path'
import { doDay, fillDay } from '../test/mcp/day-tasks.ts'
import { connectAgent } from '../test/support/agent.ts'
import { Client } from '../test/support/client.ts'
import { startProcess } from '../test/support/process.ts'
import { benchFolder, print } from './measure.ts'

using folder = benchFolder()
await using recto = await startProcess({ data: join(folder.path, 'data'), env: { SVC_RATE_LIMIT: '0' } })
const admin = new Client(recto.url, recto.key)
await fillDay(admin)
await using agent = await connectAgent(recto.url, recto.key)
const costs = await doDay(agent)
for (const { task, calls, characters, maxCalls } of costs) {
  print(`${task.padEnd(40)} ${calls} calls (at most ${maxCalls}), ${characters} characters`)
}
const total = (of: 'calls' | 'characters') => costs.reduce((sum, cost) => sum + cost[of], 0)
print(`${'the day'.padEnd(40)} ${total('calls')} calls, ${total('characters')} characters`)
