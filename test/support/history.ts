/** One request to a page, as its sender saw it. Times are of one clock. */
export type Operation = Write | Read

interface Timed {
  readonly began: number
  readonly ended: number
}

export interface Write extends Timed {
  readonly kind: 'write'
  /** Written by nobody else. */
  readonly body: string
  /** The version that `If-Match` named; 0 where the page was to be made. */
  readonly expected: number
  /** The version that was acknowledged, `rejected` for a 412, `unknown` when no answer says what happened. */
  readonly outcome: number | 'rejected' | 'unknown'
}

export interface Read extends Timed {
  readonly kind: 'read'
  readonly version: number
}

/** What the page holds at the end. */
export interface Stored {
  readonly version: number
  readonly body: string
}

/**
 * What is wrong between the answers that were given and what is stored, in words; nothing when all is well. The store
 * tells the order of versions, so that one pass decides what would be a search for a register without them.
 */
export function violations(operations: readonly Operation[], stored: readonly Stored[]): string[] {
  const writes = operations.filter((operation) => operation.kind === 'write')
  return [...gaps(stored), ...wrongAnswers(writes, stored), ...strangers(writes, stored), ...staleReads(operations)]
}

/** No version is missing, and none is there twice. */
function gaps(stored: readonly Stored[]): string[] {
  return stored.flatMap(({ version }, index) =>
    version === index + 1 ? [] : [`version ${version} stands where ${index + 1} should`],
  )
}

function wrongAnswers(writes: readonly Write[], stored: readonly Stored[]): string[] {
  const versionOf = new Map(stored.map(({ version, body }) => [body, version]))
  const winners = new Map<number, string>()
  return writes.flatMap(({ body, expected, outcome }) => {
    const found = versionOf.get(body)
    const wrong: string[] = []
    if (outcome === 'rejected' && found !== undefined) wrong.push(`${body} was rejected, and is version ${found}`)
    if (typeof outcome === 'number') {
      if (found !== outcome) wrong.push(`${body} was acknowledged as ${outcome}, and is ${found ?? 'lost'}`)
      const rival = winners.get(expected)
      if (rival !== undefined) wrong.push(`${body} and ${rival} both won on version ${expected}`)
      winners.set(expected, body)
    }
    if (found !== undefined && found !== expected + 1) wrong.push(`${body} on ${expected} became ${found}`)
    return wrong
  })
}

/** Every version was written by somebody, once. */
function strangers(writes: readonly Write[], stored: readonly Stored[]): string[] {
  const bodies = new Set(writes.map(({ body }) => body))
  const seen = new Set<string>()
  return stored.flatMap(({ version, body }) => {
    const twice = seen.has(body)
    seen.add(body)
    if (!bodies.has(body)) return [`nobody wrote version ${version}: ${body}`]
    return twice ? [`${body} stands twice, the second time as version ${version}`] : []
  })
}

/** What was acknowledged or read before an operation began is seen by it. */
function staleReads(operations: readonly Operation[]): string[] {
  const known = operations
    .flatMap((operation) => {
      const version = operation.kind === 'read' ? operation.version : operation.outcome
      return typeof version === 'number' ? [{ at: operation.ended, version }] : []
    })
    .sort((a, b) => a.at - b.at)
  const reads = operations.filter((operation) => operation.kind === 'read').sort((a, b) => a.began - b.began)
  let next = 0
  let newest = 0
  return reads.flatMap((read) => {
    for (; (known[next]?.at ?? Number.POSITIVE_INFINITY) < read.began; next++) {
      newest = Math.max(newest, known[next]?.version ?? 0)
    }
    return read.version < newest ? [`version ${read.version} was read after ${newest} was known`] : []
  })
}
