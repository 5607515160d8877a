import { setTimeout as sleep } from 'node:timers/promises'
import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import pg from 'pg'
import type { DatabaseServer } from './connections/server.ts'
import { noticesName } from './releases.ts'

export interface NoticeOptions {
  readonly server: DatabaseServer
  readonly channel: string
  /** Called with the topics of the notice; undefined: notices may have been missed. */
  readonly onNotice: (topics?: readonly string[]) => void
  readonly onLost: (error: Error) => void
}

/** A transaction with a NOTIFY holds a lock of the complete database during its commit: so there are few of them. */
const SEND_EVERY_MS = 50
const MAX_WAIT_MS = 30_000
/** PostgreSQL takes less than 8,000 bytes. */
const MAX_PAYLOAD_BYTES = 7_900

/** Wake-ups between nodes (LISTEN and NOTIFY), on a connection of its own. They may get lost: listeners also poll. */
export class Notices implements AsyncDisposable {
  readonly #options: NoticeOptions
  readonly #self = uuid7()
  readonly #stop = new AbortController()
  readonly #running: Promise<void>
  #client: pg.Client | undefined
  #sending: NodeJS.Timeout | undefined
  readonly #topics = new Set<string>()

  constructor(options: NoticeOptions) {
    this.#options = options
    this.#running = this.#run()
  }

  /** Wakes the other nodes soon; many calls are coalesced. */
  send(topic?: string): void {
    const { channel, onLost } = this.#options
    // The last of equal ones counts: they are in order.
    if (topic !== undefined) {
      this.#topics.delete(topic)
      this.#topics.add(topic)
    }
    this.#sending ??= setTimeout(() => {
      this.#sending = undefined
      const payloads = this.#takePayloads()
      this.#client
        ?.query('select pg_notify($1, payload) from unnest($2::text[]) payload', [channel, payloads])
        .catch(onLost)
    }, SEND_EVERY_MS)
  }

  /** What is to be sent, in as few payloads as there is room for. */
  #takePayloads(): string[] {
    const payloads = [this.#self]
    for (const topic of this.#topics) {
      const longer = `${payloads.at(-1)} ${topic}`
      if (longer.length > MAX_PAYLOAD_BYTES) payloads.push(`${this.#self} ${topic}`)
      else payloads[payloads.length - 1] = longer
    }
    this.#topics.clear()
    return payloads
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#sending)
    this.#stop.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    for (let wait = 100; !signal.aborted; wait = Math.min(wait * 2, MAX_WAIT_MS)) {
      const since = performance.now()
      const error = await this.#listen()
      if (!error || signal.aborted) return
      this.#options.onLost(error)
      if (performance.now() - since > MAX_WAIT_MS) wait = 100
      await sleep(wait, undefined, { signal }).catch(() => {}) // rejects only when it is aborted
    }
  }

  /** Listens until the connection is lost, and returns why; undefined when this was stopped. */
  async #listen(): Promise<Error | undefined> {
    const { server, channel, onNotice } = this.#options
    const client = new pg.Client({ ...server.settings(), application_name: noticesName() })
    server.track(client)
    client.on('notification', ({ payload = '' }) => {
      const [sender, ...topics] = payload.split(' ')
      if (sender !== this.#self) onNotice(topics)
    })
    const lostConnection = new Promise<Error>((resolve) => {
      client.on('error', resolve)
      client.on('end', () => resolve(new Error('the connection for notices ended')))
    })
    try {
      await client.connect()
      await client.query(`listen ${pg.escapeIdentifier(channel)}`)
      this.#client = client
      // Wake-ups that were missed while nobody listened.
      onNotice()
      return await Promise.race([lostConnection, aborted(this.#stop.signal)])
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error))
    } finally {
      this.#client = undefined
      await client.end().catch(() => {}) // it is lost already
    }
  }
}

/** If the signal was aborted while connecting, its event is past. */
function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined)
    else signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
}
