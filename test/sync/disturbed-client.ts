import { type Client, createClient } from '@recto/client/client.ts'
import type { Service } from '../support/service.ts'

/** What happens during a run, at its request of this number. */
export interface Disturbance {
  /**
   * Somebody edits the space, before each of `EDITS` requests; or the service ends, before it applies the request or
   * after.
   */
  readonly what: 'edit the space' | 'service ends before' | 'service ends after'
  readonly at: number
}

const EDITS = 3

/** A client for one run. */
export function disturbedClient(
  { admin }: Service,
  { what, at }: Disturbance,
  edit: (number: number, address: string) => Promise<void>,
): Client {
  let requests = 0
  return createClient({
    url: admin.base,
    key: admin.key,
    maxRetries: 0,
    fetch: async (url, init) => {
      const number = requests++
      if (what === 'edit the space' && number >= at && number < at + EDITS) await edit(number, pathOf(url))
      if (what === 'service ends before' && number >= at) throw new TypeError(what)
      const response = await fetch(url, init)
      if (what === 'service ends after' && number >= at) throw new TypeError(what)
      return response
    },
  })
}

function pathOf(url: Parameters<typeof fetch>[0]): string {
  return decodeURIComponent(new URL(String(url)).pathname)
}
