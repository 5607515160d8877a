import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from './embedded.ts'
import { freePort, listens } from './load-balancer.ts'
import type { PostgresServer } from './replicated-postgres.ts'

/**
 * haproxy in front of two servers: it leads to the primary alone, and ends the connections to one that no longer is.
 */
export interface DatabaseProxy extends AsyncDisposable {
  readonly port: number
  start(): Promise<void>
  kill(): Promise<void>
  /** Returns when nobody reaches either server any more. */
  fence(): Promise<void>
  /** The primary is reached again. */
  unfence(): void
}

export async function startDatabaseProxy(
  servers: readonly PostgresServer[],
  primary: () => PostgresServer,
): Promise<DatabaseProxy> {
  await using starting = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'recto-database-proxy-'))
  starting.defer(() => rmSync(folder, { recursive: true, force: true }))
  let fenced = false
  /** How often haproxy was told since the fence that the primary is none. */
  let told = 0
  const agents: { server: PostgresServer; port: number }[] = []
  for (const server of servers) {
    const agent = createServer((_, response) => {
      if (fenced && server === primary()) told++
      response.writeHead(!fenced && server === primary() ? 200 : 503, { connection: 'close' }).end()
    })
    starting.defer(() => void agent.close())
    agents.push({ server, port: await portOf(agent) })
  }
  const port = await freePort()
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(
    file,
    `
global
  # With more threads a connection may be opened to a server while another thread closes those to it.
  nbthread 1
defaults
  mode tcp
  timeout connect 1s
  timeout client 1h
  timeout server 1h
  timeout check 2s
listen postgres
  bind 127.0.0.1:${port}
  option httpchk GET /primary
  http-check expect status 200
  default-server inter 100ms fall 1 rise 1 on-marked-down shutdown-sessions
${agents.map(({ server, port }) => `  server ${server.name} 127.0.0.1:${server.port} check port ${port}`).join('\n')}
`,
  )
  let child: ChildProcess | undefined
  // It may have ended by itself: whoever asks for the next event `exit` then waits for ever.
  let ended: Promise<unknown> = Promise.resolve()
  const start = async () => {
    child = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' })
    ended = once(child, 'exit')
    await until(() => listens(port))
  }
  const kill = async () => {
    if (!child) return
    child.kill('SIGKILL')
    await ended
    child = undefined
  }
  starting.defer(kill)
  await start()
  const running = starting.move()
  return {
    port,
    start,
    kill,
    async fence() {
      fenced = true
      told = 0
      // The second answer is asked for after the first was acted upon.
      await until(() => told > 1)
    },
    unfence() {
      fenced = false
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port // it listens on TCP
}
