import { setTimeout as delay } from 'node:timers/promises'
import type { Operation, Stored } from './history.ts'
import { type Load, times } from './load.ts'

/** Clients that write pages with conditions and read them, whatever happens to the service. */
export interface Writers extends AsyncDisposable {
  /** Writes that were acknowledged so far. */
  acknowledged(): number
  /** Ends them, and returns what they saw, by page. */
  stop(): Promise<ReadonlyMap<string, readonly Operation[]>>
}

const READ_EVERY = 5

/** Starts `count` clients on these pages of a space; bodies begin with the name of the first page. */
export function startWriters(load: Load, pages: readonly string[], count: number): Writers {
  const seen = new Map(pages.map((page) => [page, [] as Operation[]]))
  let acknowledged = 0
  let stopped = false

  async function client(number: number): Promise<void> {
    const versions = new Map<string, number>()
    for (let turn = 0; !stopped; turn++) {
      const page = pages[(number + turn) % pages.length] ?? ''
      const operation = await (turn % READ_EVERY === READ_EVERY - 1
        ? read(load, page)
        : write(load, page, versions.get(page) ?? 0, `${page} ${number}-${turn}`))
      if (operation) seen.get(page)?.push(operation.operation)
      if (operation?.version !== undefined) versions.set(page, operation.version)
      if (operation?.operation.kind === 'write' && typeof operation.operation.outcome === 'number') acknowledged++
      // The service is away: whoever asks in a loop would only take the time that it needs to come back.
      if (operation === undefined || isUnknown(operation.operation)) await delay(20)
    }
  }

  const clients = Promise.all(times(count, client))
  const stop = async () => {
    stopped = true
    await clients
    return seen
  }
  return { acknowledged: () => acknowledged, stop, [Symbol.asyncDispose]: async () => void (await stop()) }
}

interface Seen {
  readonly operation: Operation
  /** The version that the page is known to have. */
  readonly version?: number
}

function isUnknown(operation: Operation): boolean {
  return operation.kind === 'write' && operation.outcome === 'unknown'
}

async function write(load: Load, page: string, expected: number, body: string): Promise<Seen> {
  const began = performance.now()
  const condition: Record<string, string> = expected === 0 ? { 'if-none-match': '*' } : { 'if-match': `"${expected}"` }
  const ended = (outcome: number | 'rejected' | 'unknown', version?: number): Seen => ({
    operation: { kind: 'write', body, expected, outcome, began, ended: performance.now() },
    ...(version !== undefined && { version }),
  })
  const answer = await load.send('PUT', page, condition, body).catch(() => undefined)
  if (answer?.status === 200 || answer?.status === 201) {
    const version = Number(answer.etag?.slice(1, -1))
    return ended(version, version)
  }
  if (answer?.status === 412) return ended('rejected', JSON.parse(answer.body.toString()).current?.version ?? 0)
  if (answer && ![503, 507].includes(answer.status)) {
    throw new Error(`a write was answered ${answer.status}: ${answer.body}`)
  }
  return ended('unknown')
}

async function read(load: Load, page: string): Promise<Seen | undefined> {
  const began = performance.now()
  const answer = await load.send('GET', `${page}.md`).catch(() => undefined)
  if (answer?.status === 404) return { operation: { kind: 'read', version: 0, began, ended: performance.now() } }
  if (answer?.status === 200) {
    const version = Number(answer.etag?.slice(1, -1))
    return { operation: { kind: 'read', version, began, ended: performance.now() }, version }
  }
  if (answer && ![503, 507].includes(answer.status)) {
    throw new Error(`a read was answered ${answer.status}: ${answer.body}`)
  }
  return undefined
}

/** Every version of a page with its body, oldest first. */
export async function storedVersions(load: Load, page: string): Promise<Stored[]> {
  const versions: number[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const { status, body } = await readAgain(load, `${page}/versions?limit=200${query}`)
    if (status === 404) return []
    const list = JSON.parse(body.toString())
    versions.push(...list.items.map((item: { version: number }) => item.version))
    cursor = list.nextCursor
  }
  const stored = await Promise.all(
    versions.map(async (version) => {
      const { status, body } = await readAgain(load, `${page}.md?version=${version}`)
      if (status !== 200) throw new Error(`version ${version} of ${page} answers ${status}: ${body}`)
      return { version, body: body.toString() }
    }),
  )
  return stored.reverse()
}

/** Reads again while the database is away: it may restart once more after the first write. */
export async function readAgain(load: Load, path: string, attempts = 40): ReturnType<Load['send']> {
  const answer = await load.send('GET', path)
  if (answer.status !== 503 || attempts === 1) return answer
  await delay(500)
  return readAgain(load, path, attempts - 1)
}
