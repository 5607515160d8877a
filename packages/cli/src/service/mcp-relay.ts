/** Relays between the stdio and the Streamable HTTP transport of MCP. Without the SDK: docs/adr/0016-mcp-relay.md. */

import { setTimeout as sleep } from 'node:timers/promises'
import { ConnectionError } from '@recto/client/transport/errors.ts'
import { eventData, streamEvents } from '@recto/client/transport/event-stream.ts'
import { tryParseJson } from '@recto/lib/json/json.ts'

/** Target of the messages, and receiver of the responses. */
export interface Relay {
  readonly url: string
  readonly key: string | (() => Promise<string>)
  /** Receives one message as one line. */
  readonly respond: (line: string) => void
}

interface Message {
  readonly id?: string | number
  readonly method?: string
  readonly params?: {
    readonly name?: unknown
    readonly uri?: unknown
    readonly requestId?: unknown
    readonly _meta?: Readonly<Record<string, unknown>>
  }
}

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'
/** A request that stays open until the client cancels it. */
const LISTEN = 'subscriptions/listen'
const INITIALIZED = 'notifications/initialized'
const PARSE_ERROR = -32_700
const INTERNAL_ERROR = -32_603

/** Sends each line to the MCP endpoint, concurrently, and returns the responses. Resolves when all are answered. */
export async function relayMessages(lines: AsyncIterable<string>, relay: Relay): Promise<void> {
  const open = new Map<string | number, AbortController>()
  const listening = new Set<AbortController>()
  const running = new Set<Promise<void>>()
  const session: Session = { version: undefined, id: undefined, stream: new AbortController() }
  for await (const line of lines) {
    if (line.trim() === '') continue
    const message = parse(line)
    if (!message) {
      relay.respond(errorLine(null, PARSE_ERROR, 'The line is not a JSON-RPC message.'))
      continue
    }
    if (message.method === 'notifications/cancelled') open.get(message.params?.requestId as string)?.abort()
    const stop = new AbortController()
    if (message.id !== undefined) open.set(message.id, stop)
    if (message.method === LISTEN) listening.add(stop)
    const sentMessage = send(line, message, relay, session, stop.signal).finally(() => {
      if (message.method === INITIALIZED) openSession(relay, session)
      if (message.id !== undefined && open.get(message.id) === stop) open.delete(message.id)
      listening.delete(stop)
      running.delete(sentMessage)
    })
    running.add(sentMessage)
  }
  for (const stop of listening) stop.abort()
  await Promise.all(running)
  session.stream.abort()
}

/** What `initialize` negotiated: the protocol version and the id of the session, which later messages lack. */
interface Session {
  version: string | undefined
  id: string | undefined
  /** Ends its stream. */
  stream: AbortController
}

/** Starts to relay the notifications of the session, as a client does that speaks HTTP itself. */
function openSession(relay: Relay, session: Session): void {
  session.stream.abort()
  if (session.id === undefined) return
  session.stream = new AbortController()
  void relaySession(relay, session, session.stream.signal)
}

async function readSecret({ key }: Relay): Promise<string> {
  return typeof key === 'string' ? key : key()
}

async function send(
  line: string,
  message: Message,
  relay: Relay,
  session: Session,
  signal: AbortSignal,
): Promise<void> {
  try {
    const response = await fetch(`${relay.url}/mcp`, {
      method: 'POST',
      headers: buildHeaders(message, await readSecret(relay), session),
      body: line,
      redirect: 'error',
      signal,
    })
    if (message.method === 'initialize') session.id = response.headers.get('mcp-session-id') ?? undefined
    for await (const text of readResponses(response)) forward(text, message, response.status, relay, session)
  } catch (error) {
    // A cancelled request gets no response.
    if (signal.aborted || message.id === undefined) return
    relay.respond(errorLine(message.id, INTERNAL_ERROR, new ConnectionError(relay.url, error).message))
  }
}

/** The headers of Streamable HTTP, from the message. */
function buildHeaders({ method, params }: Message, key: string, session: Session): Headers {
  const headers = sessionHeaders(key, session)
  headers.set('Content-Type', 'application/json')
  headers.set('Accept', 'application/json, text/event-stream')
  const version = params?._meta?.[VERSION_KEY]
  if (typeof version === 'string') headers.set('MCP-Protocol-Version', version)
  if (method !== undefined) headers.set('Mcp-Method', method)
  const name = params?.name ?? params?.uri
  if (typeof name === 'string') headers.set('Mcp-Name', headerValue(name))
  return headers
}

function sessionHeaders(key: string, { version, id }: Session): Headers {
  const headers = new Headers({ Authorization: `Bearer ${key}` })
  if (version !== undefined) headers.set('MCP-Protocol-Version', version)
  if (id !== undefined) headers.set('Mcp-Session-Id', id)
  return headers
}

/** Values that a header cannot contain are encoded in base64, as the protocol specifies. */
function headerValue(text: string): string {
  const plain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text)
  return plain ? text : `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`
}

async function* readResponses(response: Response): AsyncGenerator<string> {
  if (/^text\/event-stream\b/.test(response.headers.get('content-type') ?? '') && response.body) {
    yield* eventData(response.body)
    return
  }
  const text = await response.text()
  if (text.trim() !== '') yield text
}

function forward(text: string, message: Message, status: number, relay: Relay, session: Session): void {
  const answer = parseObject(text)
  if (answer && 'jsonrpc' in answer) {
    if (message.method === 'initialize') session.version = versionIn(answer) ?? session.version
    relay.respond(JSON.stringify(answer))
    return
  }
  // A problem document of the service: invalid key, rate limit, no database.
  if (message.id === undefined) return
  const detail = typeof answer?.detail === 'string' ? answer.detail : `The service returned status ${status}.`
  relay.respond(errorLine(message.id, INTERNAL_ERROR, detail, answer))
}

function versionIn({ result }: Readonly<Record<string, unknown>>): string | undefined {
  const version = typeof result === 'object' && result !== null && 'protocolVersion' in result && result.protocolVersion
  return typeof version === 'string' ? version : undefined
}

function parse(line: string): Message | undefined {
  const value = parseObject(line)
  return value && 'jsonrpc' in value ? value : undefined
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = tryParseJson(text)
  return typeof value === 'object' && value !== null ? { ...value } : undefined
}

function errorLine(id: string | number | null, code: number, message: string, data?: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } })
}

const RETRY_MS = 1_000
/** Problems that pass: too many streams, a proxy or a database that is away. */
const TEMPORARY = new Set([429, 502, 503, 504])

/**
 * Relays the stream of a session, which has the notifications of the protocol before the revision 2026-07-28, until it
 * is aborted, or the service rejects it; resumes it after a lost connection.
 */
async function relaySession(relay: Relay, session: Session, signal: AbortSignal): Promise<void> {
  const position: Position = { last: undefined }
  while (!signal.aborted) {
    const status = await relayStream(relay, session, position, signal).catch(() => undefined) // the connection was lost
    if (status !== undefined && status >= 400 && !TEMPORARY.has(status)) return
    await sleep(RETRY_MS, undefined, { signal }).catch(() => {}) // rejects only when it is aborted
  }
}

/** The id of the last event. */
interface Position {
  last: string | undefined
}

/** Relays until the connection ends; returns the status of the response. */
async function relayStream(relay: Relay, session: Session, position: Position, signal: AbortSignal): Promise<number> {
  // For each attempt: an access token expires.
  const headers = sessionHeaders(await readSecret(relay), session)
  headers.set('Accept', 'text/event-stream')
  if (position.last !== undefined) headers.set('Last-Event-ID', position.last)
  const { ok, status, body } = await fetch(`${relay.url}/mcp`, { headers, signal, redirect: 'error' })
  if (!ok || !body) return status
  for await (const { id, data } of streamEvents(body)) {
    position.last = id ?? position.last
    if (data !== '') relay.respond(data)
  }
  return status
}
