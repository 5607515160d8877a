import type { PageAddress } from '@recto/contract/page-address.ts'
import type { MoveMap } from './plan-body.ts'

/** The map of a move in shared memory, since a large subtree has very many addresses. */
export interface SharedMoveMap extends Omit<MoveMap, 'target' | 'file'> {
  /** Former slugs of the spaces of the addresses, each with the current one. */
  readonly slugs: readonly (readonly [former: string, slug: string])[]
  /** The result of `shareAddresses`. */
  readonly addresses: SharedArrayBuffer
  /** The same for files. */
  readonly files: SharedArrayBuffer
  /** The same for all jobs of one plan. */
  readonly id: string
}

/** An address that resolves to a moved page or file, and its new address. */
export interface RedirectingAddress extends PageAddress {
  readonly spaceId: number
  readonly to: PageAddress
}

/** Packs addresses that resolve to moved pages or files for workers. Slugs and paths have no tabs or line breaks. */
export function shareAddresses(addresses: readonly RedirectingAddress[]): SharedArrayBuffer {
  const lines = addresses.map(
    ({ space, spaceId, path, to }) => `${toSpaceKey(space, spaceId)}\t${path}\t${to.space}\t${to.path}`,
  )
  const bytes = Buffer.from(lines.join('\n'))
  const sharedBuffer = new SharedArrayBuffer(bytes.length)
  new Uint8Array(sharedBuffer).set(bytes)
  return sharedBuffer
}

/** `personal` is a different space for each author. */
function toSpaceKey(space: string, spaceId: number): string {
  return space === 'personal' ? `${spaceId}` : `/${space}`
}

let moveMap: { readonly id: string; readonly terms: MoveMap } | undefined

/** The map as an object; the last one is cached for the next job of the same move. */
export function readMoveMap(move: SharedMoveMap): MoveMap {
  if (moveMap?.id !== move.id) moveMap = { id: move.id, terms: readTerms(move) }
  return moveMap.terms
}

function readTerms({ slugs, addresses, files, ...terms }: SharedMoveMap): MoveMap {
  const now = new Map(slugs)
  const [pagesTo, filesTo] = [readAddresses(addresses), readAddresses(files)]
  const find = (to: ReadonlyMap<string, PageAddress>, { space, path }: PageAddress, spaceId: number) =>
    to.get(`${toSpaceKey(now.get(space) ?? space, spaceId)}\t${path}`)
  return {
    target: (address, spaceId) => find(pagesTo, address, spaceId) ?? address,
    file: (address, spaceId) => find(filesTo, address, spaceId),
    ...terms,
  }
}

function readAddresses(sharedBuffer: SharedArrayBuffer): ReadonlyMap<string, PageAddress> {
  const lines = Buffer.from(new Uint8Array(sharedBuffer)).toString('utf8').split('\n')
  return new Map(
    lines.map((line) => {
      const [key = '', path = '', space = '', moved = ''] = line.split('\t')
      return [`${key}\t${path}`, { space, path: moved }]
    }),
  )
}
