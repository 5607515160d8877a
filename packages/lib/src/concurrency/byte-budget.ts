/** What one holder has of a budget, and how much it waits for. */
export interface Share {
  readonly owner: string
  bytes: number
  waiting: { readonly bytes: number; readonly enter: () => void } | undefined
}

/**
 * A budget of bytes whose shares grow, the oldest first. One owner has at most half of it. The oldest share may always
 * grow: otherwise holders of parts of the budget would wait for each other.
 */
export class ByteBudget {
  readonly #total: number
  readonly #shares = new Set<Share>()
  readonly #heldByOwner = new Map<string, number>()
  #held = 0
  #waiting = 0

  constructor(total: number) {
    this.#total = total
  }

  get held(): number {
    return this.#held
  }

  /** How many have a share. */
  get holders(): number {
    return this.#shares.size
  }

  /** How many shares wait to grow. */
  get waiting(): number {
    return this.#waiting
  }

  open(owner: string): Share {
    const share: Share = { owner, bytes: 0, waiting: undefined }
    this.#shares.add(share)
    return share
  }

  /** Grows a share to so many bytes; rejects when `signal` aborts before. */
  grow(share: Share, bytes: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted || !this.#shares.has(share)) return reject(signal.reason)
      const leave = () => {
        this.#stopWaiting(share)
        reject(signal.reason)
        this.#admit()
      }
      const enter = () => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      signal.addEventListener('abort', leave)
      share.waiting = { bytes, enter }
      this.#waiting += 1
      this.#admit()
    })
  }

  close(share: Share): void {
    if (!this.#shares.delete(share)) return
    this.#stopWaiting(share)
    this.#add(share, -share.bytes)
    this.#admit()
  }

  #stopWaiting(share: Share): void {
    if (share.waiting) this.#waiting -= 1
    share.waiting = undefined
  }

  #add(share: Share, bytes: number): void {
    share.bytes += bytes
    this.#held += bytes
    const heldBytes = (this.#heldByOwner.get(share.owner) ?? 0) + bytes
    if (heldBytes > 0) this.#heldByOwner.set(share.owner, heldBytes)
    else this.#heldByOwner.delete(share.owner)
  }

  #admit(): void {
    if (this.#waiting === 0) return
    const [oldest] = this.#shares
    const owners = new Set<string>()
    for (const share of this.#shares) {
      const { owner, waiting } = share
      const isOldestOfOwner = !owners.has(owner)
      owners.add(owner)
      if (!waiting) continue
      const growth = waiting.bytes - share.bytes
      if (share !== oldest && this.#held + growth > this.#total) return
      const heldByOwner = this.#heldByOwner.get(owner) ?? 0
      if (!isOldestOfOwner && heldByOwner + growth > this.#total / 2) continue
      this.#stopWaiting(share)
      this.#add(share, growth)
      waiting.enter()
    }
  }
}
