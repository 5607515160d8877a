import { setTimeout as sleep } from 'node:timers/promises'
import { streamEvents } from '@recto/client/transport/event-stream.ts'

/** The stream of a session: for the notifications of the protocol before the revision 2026-07-28. */
export interface SessionStream {
  readonly url: string
  /** For each attempt: an access token expires. */
  readonly headers: () => Promise<Readonly<Record<string, string>>>
  /** Receives the data of one event. */
  readonly receive: (text: string) => void
}

const RETRY_MS = 1_000
/** Problems that pass: too many streams, a proxy or a database that is away. */
const TEMPORARY = new Set([429, 502, 503, 504])

/** Reads the stream until it is aborted, or the service rejects it; resumes it after a lost connection. */
export async function readSession(stream: SessionStream, signal: AbortSignal): Promise<void> {
  const position: Position = { last: undefined }
  while (!signal.aborted) {
    const status = await readStream(stream, position, signal).catch(() => undefined) // the connection was lost
    if (status !== undefined && status >= 400 && !TEMPORARY.has(status)) return
    await sleep(RETRY_MS, undefined, { signal }).catch(() => {}) // rejects only when it is aborted
  }
}

/** The id of the last event. */
interface Position {
  last: string | undefined
}

/** Reads until the connection ends; returns the status of the response. */
async function readStream(
  { url, headers, receive }: SessionStream,
  position: Position,
  signal: AbortSignal,
): Promise<number> {
  const { last } = position
  const resume = last === undefined ? {} : { 'Last-Event-ID': last }
  const options = { headers: { ...(await headers()), ...resume, Accept: 'text/event-stream' }, signal }
  const { ok, status, body } = await fetch(url, { ...options, redirect: 'error' })
  if (!ok || !body) return status
  for await (const { id, data } of streamEvents(body)) {
    position.last = id ?? position.last
    if (data !== '') receive(data)
  }
  return status
}
