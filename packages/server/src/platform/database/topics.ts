/** What other parts of the service are told about after a commit. */
export type Topic = 'credentials'

/**
 * Publish and subscribe: a topic of a committed transaction reaches the listeners of this node at once, other nodes by
 * a notice.
 */
export class Topics {
  readonly #listeners = new Map<Topic, (() => void)[]>()
  #notifyOthers: ((topic: Topic) => void) | undefined

  listen(topic: Topic, listener: () => void): void {
    this.#listeners.set(topic, [...(this.#listeners.get(topic) ?? []), listener])
  }

  /** Sets how other nodes are told. */
  notifyOthersBy(notify: (topic: Topic) => void): void {
    this.#notifyOthers = notify
  }

  publish(topic: Topic): void {
    this.receive(topic)
    this.#notifyOthers?.(topic)
  }

  /** Another node has published a topic, or may have while nobody listened. */
  receive(topic: Topic): void {
    for (const listener of this.#listeners.get(topic) ?? []) listener()
  }
}
