/**
 * Makes examples the same in every run: ids, times, secrets, cursors and durations, each by the operation where it
 * first appears.
 */
import { createHash } from 'node:crypto'

/** The time of all examples. */
const BEGIN = Date.parse('2026-11-22T09:00:00Z')
/** Longer than a run, and shorter than the time until anything expires. */
const STEP_MS = 10 * 60_000
const CURSOR = 'q83vEjRWeJC7'
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** The examples by their operations, which were called from the time `begin` on. */
export function stabiliseExamples(examples: Readonly<Record<string, unknown>>, begin: number): unknown {
  const ids = new Map<string, string>()
  const visit = (value: unknown, place: readonly string[]): unknown => {
    // A worker has taken the delivery already, or not.
    if (place.at(-1) === 'nextAttemptAt') return null
    if (typeof value === 'string') return replaceIds(stabiliseText(value, place.at(-1), begin), place, ids)
    if (typeof value !== 'object' || value === null) return place.at(-1) === 'durationMs' ? 12 : value
    if (Array.isArray(value)) return value.map((item, index) => visit(item, [...place, String(index)]))
    const members = Object.entries(value).map(([name, member]) => [name, visit(member, [...place, name])])
    return Object.fromEntries(members)
  }
  return visit(examples, [])
}

/** An id follows from the place where it is first, so that no other operation changes with it. */
function replaceIds(text: string, place: readonly string[], ids: Map<string, string>): string {
  return text.replace(UUID, (id) => {
    const digest = createHash('sha256')
      .update(`${place.join('/')} ${ids.has(id)}`)
      .digest('hex')
    const stable = ids.get(id) ?? `019aaa00-0000-7000-8000-${digest.slice(0, 12)}`
    ids.set(id, stable)
    return stable
  })
}

function stabiliseText(text: string, name: string | undefined, begin: number): string {
  if (TIME.test(text)) return stabiliseTime(text, begin)
  if (['nextCursor', 'cursor', 'since'].includes(name ?? '')) return CURSOR
  // Dead secrets, too, alarm those who look for secrets in repositories.
  const masked = text
    .replace(
      /\b(svc|scim)_([0-9A-Za-z]+)/g,
      (_, kind: string, secret: string) => `${kind}_${'x'.repeat(secret.length)}`,
    )
    .replace(/\bwhsec_[\w+/=]+/g, `whsec_${Buffer.from('An example is not a secret at all').toString('base64')}`)
  return name === 'url' ? masked.replace(/(?<=\/)[\w-]{40,}$/, 'x'.repeat(43)) : masked
}

/** What is far away was sent, and what is before is of the first start. */
function stabiliseTime(time: string, begin: number): string {
  const since = Date.parse(time) - begin
  if (since > 40 * 86_400_000) return time
  return new Date(BEGIN + Math.max(Math.floor(since / STEP_MS), 0) * STEP_MS).toISOString()
}
