import type { PageAddress } from '@recto/contract/page-address.ts'
import type { Role } from '../../access/caller.ts'
import type { Ctx } from '../../access/ctx.ts'
import { type CurrentVersion, toCurrent } from '../../access/preconditions.ts'
import type { Resource } from '../../access/resource.ts'
import type { FileEvent, PageEvent } from '../../events/feed/event.ts'
import type { Tx } from '../../platform/database/transaction.ts'
import { fileEventData } from '../files/file.ts'
import { findFile } from '../files/find.ts'
import { listFilesById } from '../files/store-lists.ts'
import { findPage } from '../pages/find.ts'
import type { FolderRow } from './store-folder.ts'

/** A page or file that exists, as what changes its life needs it. */
export interface Located extends PageAddress {
  readonly spaceId: number
  readonly id: number
  readonly version: number
  readonly current: CurrentVersion
  readonly data: EventData
}

type EventData = PageEvent['data'] | FileEvent['data']

/** The page or file at an address, if the caller has at least `role` in its space. One round trip. */
export async function locate(ctx: Ctx, resource: Resource, address: PageAddress, role: Role): Promise<Located> {
  if (resource === 'page') {
    const { page_id: id, ...page } = await findPage(ctx, address, role)
    const { path, title, version } = page
    return { ...toPlace(page), id, current: page.current, data: { path, title, version } }
  }
  const { file_id: id, ...file } = await findFile(ctx, address, role)
  return { ...toPlace(file), id, current: toCurrent(file), data: fileEventData(file) }
}

function toPlace(row: {
  readonly space_id: number
  readonly space_slug: string
  readonly path: string
  readonly version: number
}) {
  return { spaceId: row.space_id, space: row.space_slug, path: row.path, version: row.version }
}

/** An event about a page or file. */
export function toEvent(
  { actor }: Pick<Ctx, 'actor'>,
  kind: (PageEvent | FileEvent)['kind'],
  { spaceId, id, data, at }: Pick<Located, 'spaceId' | 'id' | 'data'> & { readonly at: Date },
): PageEvent | FileEvent {
  const subject = kind.startsWith('page.') ? { pageId: id } : { fileId: id }
  return { kind, spaceId, ...subject, actor, at, data } as PageEvent | FileEvent // as the kind fits its subject
}

/** The data of events about locked pages or files of a space, by their ids. */
export async function readEventData(
  tx: Pick<Tx, 'db'>,
  resource: Resource,
  spaceId: number,
  rows: readonly FolderRow[],
): Promise<ReadonlyMap<number, EventData>> {
  if (resource === 'page') return new Map(rows.map(({ id, path, title, version }) => [id, { path, title, version }]))
  const ids = rows.map(({ id }) => id)
  return new Map((await listFilesById(tx.db, spaceId, ids)).map((file) => [file.id, fileEventData(file)]))
}
