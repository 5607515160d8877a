/**
 * Who else has the page of this window open, what changes of it, and how much of the inbox is unread: by one stream for
 * all windows of the browser, which one of them holds for the others.
 */
import { toInitials } from '../../initials.ts'
import { pictureUrl } from '../../urls.ts'
import { element } from './dom.ts'
import { t } from './t.ts'

/** A page as the stream names it: `<space>/<path>`. */
type PageName = string

interface Person {
  readonly id: string
  readonly name: string
  readonly state: 'editing' | 'reading'
}

/** Who else has a page open; first with its version. */
interface Presence {
  readonly space: string
  readonly path: string
  readonly people: readonly Person[]
  readonly version?: number
}

/** A change of a page, as the feed tells it. */
export interface PageChange {
  readonly event: string
  readonly actor: { readonly name: string }
  readonly page?: Place & { readonly version: number; readonly url: string }
  readonly comment?: Place
  readonly thread?: Place
  readonly changeRequest?: Place & { readonly number: number; readonly title: string; readonly resource?: string }
  readonly from?: Place
}

interface Place {
  readonly space: string
  readonly path?: string
}

export interface OpenPage {
  readonly page: PageName
  readonly state: Person['state']
  /** Called with the version of the page when the stream begins. */
  readonly onVersion: (version: number) => void
  readonly onChange: (change: PageChange) => void
}

type News = { readonly presence: Presence } | { readonly change: PageChange } | { readonly unread: number }
/** What the windows of a browser tell each other. */
type Message = { readonly who: true } | { readonly gone: string } | { readonly news: News } | OpenWindow
interface OpenWindow {
  readonly id: string
  readonly page?: PageName | undefined
  /** `page`: it is not in front. */
  readonly as: Person['state'] | 'page'
  /** Whether it shows the count of the inbox. */
  readonly inbox: boolean
}

const NAME = 'recto-open-pages'
/** Windows that change at the same time are one change of the stream. */
const GATHER_MS = 150
/** The service has refused the stream. */
const RETRY_MS = 30_000
const MAX_PICTURES = { narrow: 2, wide: 4 }
const NARROW = matchMedia('(max-width: 40rem)')

type Hear = (news: News) => void

/** What this window follows, and who hears of it. */
const own = { page: undefined as PageName | undefined, state: 'reading' as Person['state'], inbox: false }
const listeners: Hear[] = []
let tellOthers: (() => void) | undefined

/** Shows who else has the page open, in the row of tabs, and follows it while the window shows it. */
export function followOpenPage({ page, state, onVersion, onChange }: OpenPage): void {
  follow({ page, state }, (news) => {
    if ('presence' in news) {
      if (namePage(news.presence) !== page) return
      showPeople(news.presence.people)
      if (news.presence.version !== undefined) onVersion(news.presence.version)
    } else if ('change' in news && listPlaces(news.change).some((place) => place && namePage(place) === page)) {
      onChange(news.change)
    }
  })
}

/** Calls `onUnread` with the number of unread notifications, first and whenever it may have changed. */
export function followInbox(onUnread: (unread: number) => void): void {
  follow({ inbox: true }, (news) => {
    if ('unread' in news) onUnread(news.unread)
  })
}

function follow(more: Partial<typeof own>, hear: Hear): void {
  Object.assign(own, more)
  listeners.push(hear)
  if (tellOthers) {
    tellOthers()
    return
  }
  let leave = join()
  addEventListener('pagehide', () => leave())
  // The browser has kept the screen, and shows it again.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) leave = join()
  })
}

function join(): () => void {
  const leaving = new AbortController()
  const channel = new BroadcastChannel(NAME)
  const id = crypto.randomUUID()
  const describe = (): OpenWindow => {
    const { page, state, inbox } = own
    return { id, page, as: document.visibilityState === 'visible' ? state : 'page', inbox }
  }
  const hear = (news: News) => {
    for (const listener of listeners) listener(news)
  }
  const stream = new SharedStream(channel, hear)
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if ('who' in data) channel.postMessage(describe())
    else if ('news' in data) hear(data.news)
    else stream.note(data)
  })
  tellOthers = () => {
    channel.postMessage(describe())
    stream.note(describe())
  }
  document.addEventListener('visibilitychange', tellOthers, { signal: leaving.signal })
  tellOthers()
  void navigator.locks
    .request(NAME, { signal: leaving.signal }, () => {
      channel.postMessage({ who: true } satisfies Message)
      return stream.lead(leaving.signal)
    })
    .catch(() => {}) // it is aborted when the window leaves
  return () => {
    leaving.abort()
    channel.postMessage({ gone: id } satisfies Message)
    channel.close()
  }
}

/** The stream of all windows: the one that holds the lock has the connection. */
class SharedStream {
  readonly #channel: BroadcastChannel
  readonly #hear: (news: News) => void
  readonly #windows = new Map<string, OpenWindow>()
  readonly #latest = new Map<PageName, Presence>()
  #unread: number | undefined
  #isLeading = false
  #source: EventSource | undefined
  #query = ''
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(channel: BroadcastChannel, hear: (news: News) => void) {
    this.#channel = channel
    this.#hear = hear
  }

  /** Another window, or this one, is open, or is not any more. */
  note(message: OpenWindow | { readonly gone: string }): void {
    if ('gone' in message) this.#windows.delete(message.gone)
    else this.#windows.set(message.id, message)
    if (!this.#isLeading) return
    if ('as' in message) this.#tellLatest(message)
    this.#connectIn(GATHER_MS)
  }

  /** What the stream has told already is told again to a new window. */
  #tellLatest({ page, inbox }: OpenWindow): void {
    const presence = page === undefined ? undefined : this.#latest.get(page)
    if (presence) this.#tell({ presence })
    if (inbox && this.#unread !== undefined) this.#tell({ unread: this.#unread })
  }

  /** Holds the connection until the signal. */
  lead(signal: AbortSignal): Promise<void> {
    this.#isLeading = true
    this.#connectIn(GATHER_MS)
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        clearTimeout(this.#timer)
        this.#source?.close()
        this.#isLeading = false
        resolve()
      })
    })
  }

  #connectIn(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#connect(), ms)
  }

  #connect(): void {
    // A page that several windows show is told once, as what most is done with it.
    const states = new Map<PageName, OpenWindow['as']>()
    for (const { page, as } of this.#windows.values()) {
      if (page === undefined) continue
      if (as === 'editing' || states.get(page) !== 'editing')
        states.set(page, as === 'page' ? (states.get(page) ?? as) : as)
    }
    const parts = [...states].map(([page, as]) => `${as}=${encodeURIComponent(page)}`)
    if ([...this.#windows.values()].some(({ inbox }) => inbox)) parts.push('inbox=true')
    const query = parts.sort().join('&')
    if (query === this.#query && this.#source?.readyState !== EventSource.CLOSED) return
    this.#query = query
    this.#source?.close()
    const source = new EventSource(`/presence?${query}`)
    this.#source = source
    source.addEventListener('presence', ({ data }) => {
      const presence: Presence = JSON.parse(data)
      this.#latest.set(namePage(presence), { ...this.#latest.get(namePage(presence)), ...presence })
      this.#tell({ presence })
    })
    source.addEventListener('inbox', ({ data }) => {
      this.#unread = JSON.parse(data).unread
      if (this.#unread !== undefined) this.#tell({ unread: this.#unread })
    })
    source.addEventListener('change', ({ data }) => this.#tell({ change: JSON.parse(data) }))
    source.addEventListener('error', () => {
      if (source.readyState === EventSource.CLOSED && this.#source === source) this.#connectIn(RETRY_MS)
    })
  }

  #tell(news: News): void {
    this.#channel.postMessage({ news } satisfies Message)
    this.#hear(news)
  }
}

function listPlaces({ page, comment, thread, from, changeRequest }: PageChange): (Place | undefined)[] {
  return [page, comment, thread, from, changeRequest?.resource === 'page' ? changeRequest : undefined]
}

function namePage({ space, path }: Place): PageName {
  return `${space}/${path}`
}

function showPeople(people: readonly Person[]): void {
  const tabs = document.querySelector('.tabs')
  const place = tabs?.querySelector('.present') ?? element('p', { class: 'present', role: 'status' })
  if (!place.parentElement) tabs?.querySelector('ul')?.after(place)
  const visiblePeople = people.slice(0, NARROW.matches ? MAX_PICTURES.narrow : MAX_PICTURES.wide)
  place.replaceChildren()
  for (const person of visiblePeople) place.append(showPerson(person))
  if (people.length > visiblePeople.length) place.append(`+${people.length - visiblePeople.length}`)
}

function showPerson({ id, name, state }: Person): HTMLElement {
  const title = state === 'editing' ? t('{name} edits this page', { name }) : t('{name} reads this page', { name })
  const picture = element('img', { src: pictureUrl(id), alt: '', width: '24', height: '24' })
  const text = element('span', { class: 'visually-hidden' }, title)
  const initials = element('span', { class: `avatar ${state}`, title, 'data-initials': toInitials(name) })
  initials.append(picture, text)
  return initials
}
