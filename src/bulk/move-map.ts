import type { PageAddress } from '../http/page-address.ts'
import type { MoveMap } from './plan-body.ts'

/** The map of a move in shared memory, since a large subtree has very many addresses. */
export interface SharedMoveMap extends Omit<MoveMap, 'target'> {
  /** The target space. */
  readonly to: string
  /** Former slugs of the spaces of the addresses, each with the current one. */
  readonly slugs: readonly (readonly [former: string, slug: string])[]
  /** The result of `shareAddresses`. */
  readonly addresses: SharedArrayBuffer
  /** The same for all jobs of one plan. */
  readonly id: string
}

/** An address that resolves to a moved page, and the new path of the page. */
export interface RedirectingAddress extends PageAddress {
  readonly spaceId: number
  readonly to: string
}

/**
 * Packs all addresses that resolve to moved pages for workers. Neither slugs nor paths contain tabs or line breaks.
 */
export function shareAddresses(addresses: readonly RedirectingAddress[]): SharedArrayBuffer {
  const lines = addresses.map(({ space, spaceId, path, to }) => `${keyOf(space, spaceId)}\t${path}\t${to}`)
  const bytes = Buffer.from(lines.join('\n'))
  const shared = new SharedArrayBuffer(bytes.length)
  new Uint8Array(shared).set(bytes)
  return shared
}

/** `personal` is a different space for each author. */
function keyOf(space: string, spaceId: number): string {
  return space === 'personal' ? `${spaceId}` : `/${space}`
}

let known: { readonly id: string; readonly terms: MoveMap } | undefined

/** The map as an object; the last one is cached for the next job of the same move. */
export function readMoveMap(move: SharedMoveMap): MoveMap {
  if (known?.id !== move.id) known = { id: move.id, terms: readTerms(move) }
  return known.terms
}

function readTerms({ to, slugs, addresses, rewrite, publicOrigin, maxBodyBytes }: SharedMoveMap): MoveMap {
  const now = new Map(slugs)
  const paths = new Map(
    Buffer.from(new Uint8Array(addresses))
      .toString('utf8')
      .split('\n')
      .map((line) => {
        const [space = '', path = '', moved = ''] = line.split('\t')
        return [`${space}\t${path}`, moved]
      }),
  )
  return {
    target(address, spaceId) {
      const space = now.get(address.space) ?? address.space
      const path = paths.get(`${keyOf(space, spaceId)}\t${address.path}`)
      return path === undefined ? address : { space: to, path }
    },
    rewrite,
    publicOrigin,
    maxBodyBytes,
  }
}
