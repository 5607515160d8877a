import type { PageAddress } from '../http/page-address.ts'
import type { MoveMap } from './plan-body.ts'

/** The terms of a move in a form that workers share: a large subtree has very many addresses. */
export interface SharedMoveMap extends Omit<MoveMap, 'target'> {
  /** The space that the pages come to. */
  readonly to: string
  /** Slugs that the spaces of the addresses had before, each with the one that it has now. */
  readonly slugs: readonly (readonly [former: string, slug: string])[]
  /** What `shareAddresses` made. */
  readonly addresses: SharedArrayBuffer
  /** The same for all jobs of one plan. */
  readonly id: string
}

/** An address that leads to a page that moves, and the path that the page comes to. */
export interface RedirectingAddress extends PageAddress {
  readonly spaceId: number
  readonly to: string
}

/** Everything that leads to pages that move, for workers. Neither slugs nor paths hold tabs or line breaks. */
export function shareAddresses(addresses: readonly RedirectingAddress[]): SharedArrayBuffer {
  const lines = addresses.map(({ space, spaceId, path, to }) => `${keyOf(space, spaceId)}\t${path}\t${to}`)
  const bytes = Buffer.from(lines.join('\n'))
  const shared = new SharedArrayBuffer(bytes.length)
  new Uint8Array(shared).set(bytes)
  return shared
}

/** `personal` is another space for each of those who write it. */
function keyOf(space: string, spaceId: number): string {
  return space === 'personal' ? `${spaceId}` : `/${space}`
}

let known: { readonly id: string; readonly terms: MoveMap } | undefined

/** The terms again; those of the last move are kept, for its next job. */
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
