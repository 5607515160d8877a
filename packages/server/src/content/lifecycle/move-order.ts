import type { Static } from 'typebox'
import type { Resource } from '../../access/resource.ts'
import type { SpaceAccess } from '../../access/space.ts'
import type { Progress } from '../../events/jobs/runner.ts'
import type { LocatedPage } from '../pages/find.ts'
import type { moveOutcomeSchema } from './schema.ts'
import type { FolderRow } from './store-folder.ts'

/** A body that a page gets with a move, packed in full: links follow in it. */
export interface NewBody {
  readonly data: Buffer
  readonly note: string | null
}

/** The source and the target of a move. */
export interface MoveOrder {
  readonly from: { readonly spaceId: number; readonly space: string; readonly path: string }
  /** The page of the request, in the version that was read; absent for a folder and for a file. */
  readonly page?: LocatedPage
  /** The file of the request, which moves alone. */
  readonly file?: FolderRow
  readonly to: { readonly space: SpaceAccess; readonly path: string }
  readonly children: boolean
  /** Pages that move together, each to a path of its own; absent: what is at the path of `from`. */
  readonly paths?: ReadonlyMap<string, string>
  /** By their present paths: files that move together with them. */
  readonly files?: ReadonlyMap<string, FolderRow & { readonly to: string }>
  /** By their present paths: bodies that pages of the space `from` get with the move. */
  readonly bodies?: ReadonlyMap<string, NewBody>
  readonly rewrite: boolean
  /** Called with the pages that are planned (without a total), then with those that are written. */
  readonly progress?: Progress | undefined
}

/** The result of a move, or of its dry run. */
export type MoveOutcome = Static<typeof moveOutcomeSchema>

/** The path of a page or file after the move. */
export function movedPath({ from, to, paths, files }: MoveOrder, path: string, resource: Resource = 'page'): string {
  if (paths) return (resource === 'file' ? files?.get(path)?.to : paths.get(path)) ?? path
  return to.path + path.slice(from.path.length)
}
