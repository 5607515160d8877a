import http, { type AgentOptions } from 'node:http'
import https from 'node:https'
import type { Duplex } from 'node:stream'

/** The connection pools of attempts. Disposing them closes the idle connections. */
export interface Agents extends Disposable {
  readonly http: http.Agent
  readonly https: https.Agent
}

interface PoolLimits {
  /** An idle connection is closed after this time, which is less than most receivers keep one. */
  readonly idleMs: number
  /** No connection is kept longer, because the name of the receiver may have another address by then. */
  readonly maxAgeMs: number
}

const LIMITS: PoolLimits = { idleMs: 4_000, maxAgeMs: 30_000 }
/** Those of some 50 receivers: with fewer, every attempt under load would close a connection and open another one. */
const MAX_IDLE = 256
const MAX_IDLE_PER_RECEIVER = 5

/**
 * Agents of their own, without the proxies of the environment, which would resolve names in our place. A connection is
 * kept for the next attempt to the same receiver; whoever uses it checks its address again.
 */
export function createAgents({ idleMs, maxAgeMs }: PoolLimits = LIMITS): Agents {
  const options: AgentOptions = {
    keepAlive: true,
    timeout: idleMs,
    maxFreeSockets: MAX_IDLE_PER_RECEIVER,
    scheduling: 'lifo',
  }
  const openedAt = new WeakMap<Duplex, number>()
  const countIdle = ({ freeSockets }: http.Agent) =>
    Object.values(freeSockets).reduce((sum, sockets) => sum + (sockets?.length ?? 0), 0)
  const mayKeep = (agent: http.Agent, socket: Duplex) => {
    const since = openedAt.get(socket) ?? performance.now()
    openedAt.set(socket, since)
    return performance.now() - since < maxAgeMs && countIdle(agent) < MAX_IDLE
  }
  // Node's method tells whether to keep the socket, which its types do not know.
  class PlainAgent extends http.Agent {
    override keepSocketAlive(socket: Duplex): boolean {
      return mayKeep(this, socket) && Boolean(super.keepSocketAlive(socket) as unknown)
    }
  }
  class SecureAgent extends https.Agent {
    override keepSocketAlive(socket: Duplex): boolean {
      return mayKeep(this, socket) && Boolean(super.keepSocketAlive(socket) as unknown)
    }
  }
  const agents = { http: new PlainAgent(options), https: new SecureAgent({ ...options, maxCachedSessions: 0 }) }
  return {
    ...agents,
    [Symbol.dispose]() {
      agents.http.destroy()
      agents.https.destroy()
    },
  }
}
