/** What other parts of the service are told about. */
export type Topic = 'credentials' | 'presence' | 'inbox'

/** Called with the message; undefined: messages of other nodes may have been missed. */
type Listener = (message?: string) => void

/** Publish and subscribe: a topic of a committed transaction reaches listeners here at once, other nodes by notice. */
export class Topics {
  readonly #listeners = new Map<Topic, Listener[]>()
  #notifyOthers: ((notice: string) => void) | undefined

  listen(topic: Topic, listener: Listener): void {
    this.#listeners.set(topic, [...(this.#listeners.get(topic) ?? []), listener])
  }

  /** Sets how other nodes are told. */
  notifyOthersBy(notify: (notice: string) => void): void {
    this.#notifyOthers = notify
  }

  /** Tells the listeners of all nodes. */
  publish(topic: Topic): void {
    for (const listener of this.#listeners.get(topic) ?? []) listener()
    this.#notifyOthers?.(topic)
  }

  /** Tells the listeners of the other nodes: a message has no space. */
  send(topic: Topic, message: string): void {
    this.#notifyOthers?.(`${topic}:${message}`)
  }

  /** Another node has published topics or sent messages; undefined: it may have while nobody listened. */
  receive(notices?: readonly string[]): void {
    for (const [topic, listeners] of this.#listeners) {
      const own = notices?.filter((notice) => notice === topic || notice.startsWith(`${topic}:`)) ?? [topic]
      for (const notice of own) {
        for (const listener of listeners) listener(notice === topic ? undefined : notice.slice(topic.length + 1))
      }
    }
  }
}
