import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import type { Topics } from '../../platform/database/topics.ts'

/** What a person does with a page that is open. */
export const PRESENCE_STATES = ['editing', 'reading'] as const
export type PresenceState = (typeof PRESENCE_STATES)[number]

/** A person who has a page open. */
export interface PresentPerson {
  readonly id: string
  readonly name: string
  readonly state: PresenceState
}

/** A page that is open in a browser. */
export interface PageVisit {
  /** Absent: others are not told. */
  readonly person: Omit<PresentPerson, 'state'> | undefined
  /** Absent: the window is not in front. */
  readonly state: PresenceState | undefined
  /** Somebody came to the page, or left it. */
  onChange(): void
}

interface Entry {
  readonly pageId: number
  readonly person: PresentPerson
  /** When it was told last, if another node did. */
  readonly at: number | undefined
}

/** Who goes on to another page and comes back, or connects again, has not left. */
const LEAVING_MS = 1_500
/** Each node tells others so often who is there, in case a notice was lost; a dead node's end after three times. */
const TELL_EVERY_MS = 20_000
const ABSENT_AFTER_MS = 3 * TELL_EVERY_MS

/** Who has which page open, on this node and, by notices, on the others. Nothing is stored. */
export class PresenceHub implements Disposable {
  readonly #topics: Topics
  readonly #node = uuid7()
  /** Of this node, by page. */
  readonly #visits = new Map<number, Set<PageVisit>>()
  /** By node, page and person. */
  readonly #entries = new Map<string, Entry>()
  readonly #leaving = new Map<string, NodeJS.Timeout>()
  #timer: NodeJS.Timeout | undefined

  constructor(topics: Topics) {
    this.#topics = topics
    topics.listen('presence', (message) => this.#receive(message))
  }

  /** Tells a visit of others, and others of it, until the result is disposed. */
  join(pageId: number, visit: PageVisit): Disposable {
    const visits = this.#visits.get(pageId) ?? new Set()
    this.#visits.set(pageId, visits.add(visit))
    this.#updateOwn(pageId, visit.person?.id)
    return { [Symbol.dispose]: () => this.#leave(pageId, visit) }
  }

  /** The people at a page, each once. */
  list(pageId: number): readonly PresentPerson[] {
    const people = new Map<string, PresentPerson>()
    for (const entry of this.#entries.values()) {
      if (entry.pageId !== pageId) continue
      const { id, state } = entry.person
      if (state === 'editing' || !people.has(id)) people.set(id, entry.person)
    }
    return [...people.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
    for (const timer of this.#leaving.values()) clearTimeout(timer)
    for (const [key, { pageId, person, at }] of this.#entries) {
      if (at === undefined) this.#tell(pageId, person.id, undefined)
      this.#entries.delete(key)
    }
  }

  #leave(pageId: number, visit: PageVisit): void {
    const visits = this.#visits.get(pageId)
    if (!visits?.delete(visit)) return
    if (visits.size === 0) this.#visits.delete(pageId)
    const id = visit.person?.id
    const key = toKey(this.#node, pageId, id)
    if (id === undefined || this.#leaving.has(key)) return
    const end = () => {
      this.#leaving.delete(key)
      this.#updateOwn(pageId, id)
    }
    this.#leaving.set(key, setTimeout(end, LEAVING_MS).unref())
  }

  /** What a person does at a page follows from their connections to this node. */
  #updateOwn(pageId: number, id: string | undefined): void {
    if (id === undefined) return
    let person: PresentPerson | undefined
    for (const each of this.#visits.get(pageId) ?? []) {
      if (each.person?.id !== id || each.state === undefined) continue
      if (!person || each.state === 'editing') person = { ...each.person, state: each.state }
    }
    const key = toKey(this.#node, pageId, id)
    // Who leaves may come again.
    if (person || !this.#leaving.has(key)) this.#set(key, pageId, person, undefined)
  }

  #set(key: string, pageId: number, person: PresentPerson | undefined, at: number | undefined): void {
    const before = this.#entries.get(key)
    if (person) this.#entries.set(key, { pageId, person, at })
    else this.#entries.delete(key)
    this.#keepTime()
    if (before?.person.state === person?.state) return
    if (at === undefined && (person ?? before)) this.#tell(pageId, (person ?? before?.person)?.id ?? '', person)
    for (const visit of this.#visits.get(pageId) ?? []) visit.onChange()
  }

  #tell(pageId: number, id: string, person: PresentPerson | undefined): void {
    const parts = [this.#node, pageId, id, person?.state ?? '', person?.name ?? '']
    this.#topics.send('presence', parts.map(encodeURIComponent).join('/'))
  }

  #receive(message: string | undefined): void {
    // This node may have missed something: the others tell it again, as it tells them.
    if (message === undefined || message === 'all') {
      if (message === undefined) this.#topics.send('presence', 'all')
      this.#tellAll()
      return
    }
    const [node = '', page = '', id = '', word, name = ''] = message.split('/').map(decodeURIComponent)
    const state = PRESENCE_STATES.find((each) => each === word)
    this.#set(toKey(node, Number(page), id), Number(page), state && { id, name, state }, performance.now())
  }

  #tellAll(): void {
    for (const { pageId, person, at } of this.#entries.values()) {
      if (at === undefined) this.#tell(pageId, person.id, person)
    }
  }

  /** A timer runs while somebody is there. */
  #keepTime(): void {
    if (this.#entries.size === 0) {
      clearInterval(this.#timer)
      this.#timer = undefined
    }
    if (this.#entries.size === 0 || this.#timer) return
    this.#timer = setInterval(() => {
      this.#tellAll()
      const absentBefore = performance.now() - ABSENT_AFTER_MS
      for (const [key, { pageId, at }] of this.#entries) {
        if (at !== undefined && at < absentBefore) this.#set(key, pageId, undefined, at)
      }
    }, TELL_EVERY_MS).unref()
  }
}

function toKey(node: string, pageId: number, id: string | undefined): string {
  return `${node}/${pageId}/${id}`
}
