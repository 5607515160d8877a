import type { Topics } from '../../platform/database/topics.ts'

/** Tells the open screens of a person, on all nodes, that their inbox has changed. */
export class InboxNews {
  readonly #topics: Topics
  readonly #followers = new Map<string, Set<() => void>>()

  constructor(topics: Topics) {
    this.#topics = topics
    topics.listen('inbox', (id) => this.#wake(id))
  }

  /** Calls `onChange` whenever the inbox of a person may have changed, until the result is disposed. */
  follow(id: string, onChange: () => void): Disposable {
    const followers = this.#followers.get(id) ?? new Set()
    this.#followers.set(id, followers.add(onChange))
    return {
      [Symbol.dispose]: () => {
        followers.delete(onChange)
        if (followers.size === 0) this.#followers.delete(id)
      },
    }
  }

  /** The inboxes of some people have changed. */
  tell(ids: readonly string[]): void {
    for (const id of ids) {
      this.#wake(id)
      this.#topics.send('inbox', id)
    }
  }

  /** Without an id, notices of other nodes may have been missed. */
  #wake(id: string | undefined): void {
    const woken = id === undefined ? [...this.#followers.values()] : [this.#followers.get(id) ?? []]
    for (const followers of woken) for (const onChange of followers) onChange()
  }
}
