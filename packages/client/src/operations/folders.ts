import { route } from '../transport/address.ts'
import type { CallOptions, Connection } from '../transport/connection.ts'
import { jsonApi } from '../transport/json.ts'
import type { FolderDeletion, FolderMove, MoveReport } from '../types.ts'

/** Folders: all pages and files at or below a path. */
export function folderMethods(connection: Connection) {
  const api = jsonApi(connection)
  return {
    /** Moves a folder; with `dryRun` only reports the changes. */
    move: (space: string, move: FolderMove, call?: CallOptions): Promise<MoveReport> =>
      api.post(route`/spaces/${space}/move-folder`, move, call),
    /** Moves a folder to the trash; with `dryRun` only lists its pages and files. */
    delete: (
      space: string,
      path: string,
      { dryRun = false, ...call }: CallOptions & { readonly dryRun?: boolean | undefined } = {},
    ): Promise<FolderDeletion> => api.post(route`/spaces/${space}/delete-folder`, { path, dryRun }, call),
  }
}
