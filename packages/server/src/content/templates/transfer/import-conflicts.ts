import { AppError } from '@recto/contract/errors.ts'
import type { Static } from 'typebox'
import type { Ctx } from '../../../access/ctx.ts'
import type { SpaceAccess } from '../../../access/space.ts'
import { toAccessSubject } from '../../../access/visibility.ts'
import { listRedirects, listTaken, type RedirectRow } from '../../links/store-addresses.ts'
import type { importReportSchema } from '../schema.ts'
import { findExisting } from './store-import.ts'
import { MAX_LISTED, type ValidUpload } from './validate-upload.ts'

/** The number of pages and files that exist already, and MAX_LISTED of their paths in the order of the upload. */
export interface Conflicts {
  readonly count: number
  readonly paths: readonly string[]
}

/** Redirects that an import ends, as far as its sender can read where they lead. */
export type EndedRedirects = NonNullable<Static<typeof importReportSchema>['redirectsEnded']>

const PATH_BATCH = 1_000

/** What exists already in the space; the first listed path is the one at this index. */
export async function findConflicts(
  { db }: Ctx,
  spaceId: number,
  { pages, files }: ValidUpload,
  from: number,
): Promise<Conflicts> {
  let count = 0
  const listedPaths: string[] = []
  const add = async (all: readonly string[], find: (paths: readonly string[]) => Promise<Found>) => {
    for (let at = 0; at < all.length; at += PATH_BATCH) {
      const batch = all.slice(at, at + PATH_BATCH)
      const existing = new Set((await find(batch)).map(({ path }) => path))
      for (const path of batch) {
        if (!existing.has(path)) continue
        if (count >= from && listedPaths.length < MAX_LISTED) listedPaths.push(path)
        count++
      }
    }
  }
  await add(pages, (paths) => findExisting.all(db, { spaceId, paths, content: false }))
  await add(files, (paths) => listTaken(db, 'file', { spaceId, paths }))
  return { count, paths: listedPaths }
}

/** The first redirects at addresses of the upload: MAX_LISTED of pages and files each. */
export async function findEndedRedirects(
  { db, actor }: Ctx,
  { id: spaceId, slug: space }: Pick<SpaceAccess, 'id' | 'slug'>,
  { pages, files }: ValidUpload,
): Promise<EndedRedirects> {
  const subject = toAccessSubject(actor)
  const find = async (kind: 'page' | 'file', all: readonly string[]) => {
    const rows: RedirectRow[] = []
    for (let at = 0; at < all.length && rows.length < MAX_LISTED; at += PATH_BATCH) {
      const paths = all.slice(at, at + PATH_BATCH)
      for (const row of await listRedirects(db, subject, kind, { spaceId, paths })) rows.push(row)
    }
    return rows.slice(0, MAX_LISTED)
  }
  return [...(await find('page', pages)), ...(await find('file', files))].map((row) => ({
    from: { space, path: row.path },
    to: { space: row.to_space, path: row.to_path },
  }))
}

type Found = readonly { readonly path: string }[]

export function importConflict({ count, paths }: Conflicts): AppError {
  return new AppError(
    'import_conflict',
    `${count} of the pages and files already exist in the ` +
      `space${paths[0] === undefined ? '' : `, such as \`${paths[0]}\``}. Nothing was imported.`,
    { members: { conflictCount: count, conflicts: paths } },
  )
}
