/**
 * Processes that run services for test files: the program is loaded and compiled once for a run instead of once for a
 * file. There is one for each file that runs at the same time, so that files do not disturb each other.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { ConnectionSettings } from '../../packages/server/src/platform/database/embedded/server.ts'

/** The environment variable with the folder of the hosts' sockets. */
const HOSTS = 'RECTO_TEST_HOSTS'
/** The OpenAPI document of the program, beside the sockets. */
export const DOCUMENT = 'openapi.json'
const AMOUNT = 3

/** What a host replies when a service was started. */
export interface Started {
  readonly address: string
  readonly adminKey: string | undefined
  readonly setupUrl: string | undefined
  readonly data: string
}

/** Two nodes over one database. */
export interface StartedNodes {
  readonly addresses: readonly [string, string]
  readonly adminKey: string | undefined
  readonly setupUrl: string | undefined
  readonly routes: readonly string[]
  readonly connection: ConnectionSettings
}

/** A connection to a host: what it starts stops when the connection ends. */
export interface HostConnection extends AsyncDisposable {
  /** An error ends the connection. */
  ask<Reply>(command: object): Promise<Reply>
}

/** A message as one line; `readline` ends lines at the separators of Unicode, too. */
export function toLine(message: object): string {
  const escapeEnd = (end: string) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`
  return `${JSON.stringify(message).replace(/[\u0085\u2028\u2029]/g, escapeEnd)}\n`
}

export function connectHost(path: string): HostConnection {
  const socket = createConnection(path)
  const lines = createInterface(socket)[Symbol.asyncIterator]()
  let pending = 0
  return {
    async ask(command) {
      // A connection without a question does not keep the test process running.
      pending++
      socket.ref()
      socket.write(toLine(command))
      const { value } = await lines.next()
      if (--pending === 0) socket.unref()
      const reply = JSON.parse(value ?? '{"error":"the host of services has ended"}')
      if (reply.error === undefined) return reply
      // An open connection would keep the test process running.
      socket.destroy()
      throw new Error(reply.error)
    },
    async [Symbol.asyncDispose]() {
      const closed = once(socket, 'close')
      socket.ref()
      socket.end()
      await closed
    },
  }
}

/** Starts the hosts; their sockets and the OpenAPI document are in `folder`. */
export async function startHosts(folder: string): Promise<AsyncDisposable> {
  const script = join(import.meta.dirname, 'service-host.ts')
  // Not the options of this process: with `--test-global-setup` a host would be a test run with hosts of its own.
  const hosts = Array.from({ length: AMOUNT }, (_, index) =>
    fork(script, [socketIn(folder, index), ...(index === 0 ? [join(folder, DOCUMENT)] : [])], {
      // As `npm start`.
      execArgv: ['--max-semi-space-size=16'],
    }),
  )
  await Promise.all(hosts.map((host) => once(host, 'message')))
  process.env[HOSTS] = folder
  return {
    async [Symbol.asyncDispose]() {
      await Promise.all(hosts.map(stop))
    },
  }
}

/** The socket of the host for this test process; absent where a file is run without the global setup. */
export function hostOfServices(): string | undefined {
  const folder = process.env[HOSTS]
  return folder === undefined ? undefined : socketIn(folder, (Number(process.env.NODE_TEST_WORKER_ID) || 0) % AMOUNT)
}

function socketIn(folder: string, index: number): string {
  return join(folder, `host-${index}`)
}

async function stop(host: ChildProcess): Promise<void> {
  if (host.exitCode !== null || host.signalCode !== null) return
  const exited = once(host, 'exit')
  host.disconnect()
  await exited
}
