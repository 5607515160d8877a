import { readJson, send } from '../parts/api.ts'
import { inStorage } from '../parts/in-storage.ts'

/** What was typed and is not saved yet. */
export interface UnsavedText {
  readonly body: string
  /** What changed; of a new page its title. */
  readonly note: string
  /** The version that it is based on. */
  readonly version?: number | null
  readonly savedAt: string
}

/** The most bytes that a browser still sends while the page is left. */
const MAX_KEEPALIVE = 60_000

export type Unsaved = ReturnType<typeof openUnsaved>

/**
 * The unsaved text of the form of an editor: the service keeps it, and while it cannot be reached this browser; that
 * of a suggestion this browser alone, for each change request.
 */
export function openUnsaved({ unsaved: url = '', unsavedAt, owner = '', proposal }: DOMStringMap) {
  // A page keeps this when it moves.
  const [, page = url] = /editedPage=(.*)/.exec(url) ?? []
  const key = `recto:unsaved:${owner}${page}${proposal === undefined ? '' : `#${proposal}`}`
  const readBrowser = () => inStorage((): UnsavedText | null => JSON.parse(localStorage.getItem(key) ?? 'null'))
  let isKept = unsavedAt !== undefined || Boolean(readBrowser())
  /** What is sent next; null: nothing is unsaved. */
  let next: UnsavedText | null | undefined
  let sending: Promise<void> | undefined
  let place: 'service' | 'browser' | 'nowhere' = 'service'

  const sendToService = (text: UnsavedText | null) => {
    const { body, note, version } = text ?? {}
    const json = text ? { body, note, ...(version && { version }) } : undefined
    const keepalive = new Blob([body ?? '']).size < MAX_KEEPALIVE
    const request = send(text ? 'PUT' : 'DELETE', url, { json, keepalive })
    return request.then(({ ok }) => ok).catch(() => false)
  }
  const sendText = async (text: UnsavedText | null) => {
    // A text that is under way while the page is left may come after the next page was made.
    if (text) inStorage(() => sessionStorage.setItem(key, 'sent'))
    const isSent = proposal === undefined && (await sendToService(text))
    inStorage(() => sessionStorage.removeItem(key))
    isKept = text !== null || !(isSent || proposal !== undefined)
    place = isSent ? 'service' : 'browser'
    if (isSent || !text) inStorage(() => localStorage.removeItem(key))
    else if (!keepInBrowser(text)) place = 'nowhere'
  }
  const keepInBrowser = (text: UnsavedText) =>
    inStorage(() => {
      localStorage.setItem(key, JSON.stringify(text))
      return true
    })
  /** One request after the other, so that the last text stays. */
  const sendAll = async () => {
    while (next !== undefined) {
      const text = next
      next = undefined
      await sendText(text)
    }
    sending = undefined
  }
  const set = (text: UnsavedText | null) => {
    next = text
    sending ??= sendAll()
    return sending
  }
  return {
    /** Where the last text is. */
    place: () => place,
    keep: (text: UnsavedText) => set(text),
    drop: async () => {
      if (isKept || sending) await set(null)
    },
    /** Keeps a text that the browser would not send while the page is left. */
    leave(text: UnsavedText) {
      if (new Blob([text.body]).size >= MAX_KEEPALIVE) keepInBrowser(text)
    },
    /** The last text that was kept, here or on another device. */
    async load(): Promise<UnsavedText | undefined> {
      const inBrowser = readBrowser()
      const isSent = unsavedAt !== undefined || inStorage(() => sessionStorage.getItem(key)) === 'sent'
      const atService = isSent ? await readJson<UnsavedText>(url) : undefined
      return inBrowser && !(atService && atService.savedAt > inBrowser.savedAt) ? inBrowser : atService
    },
  }
}
