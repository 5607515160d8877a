import { AppError, inputError } from '@recto/contract/errors.ts'
import type { PageAddress } from '@recto/contract/page-address.ts'
import type { VersionTag } from '@recto/lib/network/header-values.ts'
import type { AddressedSpace, Proposals } from './addressed-page.ts'
import type { AuthorColumns } from './authors.ts'
import { type Caller, type Rank, toRank } from './caller.ts'
import type { Ctx, OverlaidCtx, Overlay } from './ctx.ts'
import type { ItemIds, Resource } from './resource.ts'
import { type DraftRow, readDraftsAt } from './store-drafts.ts'
import { toAccessSubject, toSpaceAddress } from './visibility.ts'

/** A change request as responses to proposals name it. */
export interface ProposalReference {
  readonly number: number
  readonly url: string
}

/** What responses show of a draft. */
export type DraftHead = AuthorColumns & Pick<DraftRow, 'number' | 'version' | 'page_id' | 'page_path' | 'revision_id'>

/** A page or file as it is read through a change request. */
export interface DraftedPage<Draft = DraftRow> {
  /** What the request makes of it; absent: nothing. */
  readonly draft?: Draft | undefined
}

/** What a row of a page or file has of a draft. */
type ShownRow = AddressedSpace & ItemIds & Partial<AuthorColumns> & { readonly version: number }

/** Whether the context is that of a proposal, or of a read through a change request. */
export function isOverlaid<C extends Pick<Ctx, 'overlay'>>(ctx: C): ctx is OverlaidCtx<C> {
  return ctx.overlay !== undefined
}

/** Of a path at which a change request has nothing. */
const NOTHING_HERE = { page_id: null, file_id: null, last_version: null }

/**
 * The row that `read` finds at an address or, for a page or file that the request moves, at the path where it is now,
 * as the change request of the context shows it: a move to who reads both places. What the request creates has an id
 * below 0, which no page or file has.
 */
export async function withDraft<R extends ShownRow>(
  ctx: Pick<Ctx, 'db' | 'actor' | 'overlay'>,
  address: PageAddress,
  read: (path: string) => Promise<R | undefined>,
  resource: Resource = 'page',
): Promise<(R & DraftedPage) | undefined> {
  const { overlay } = ctx
  if (overlay?.number === undefined) return read(address.path)
  const args = {
    ...toAccessSubject(ctx.actor),
    slug: address.space,
    path: address.path,
    number: overlay.number,
    resource,
  }
  const [row, drafts] = await Promise.all([
    read(address.path),
    readDraftsAt[toSpaceAddress(address.space)].all(ctx.db, args),
    overlay.check,
  ])
  if (!row || overlay.space !== address.space) return row
  const id = `${resource}_id` as const
  const arrival = drafts.find(({ path, is_deleted }) => path === address.path && !is_deleted)
  const from = arrival?.page_path ?? address.path
  if (arrival && from === address.path) return { ...row, ...toShownColumns(arrival, row) }
  const movedRow = arrival && (await read(from))
  if (movedRow && movedRow.rank >= 1 && movedRow[id] !== null) {
    return { ...movedRow, ...toShownColumns(arrival, movedRow), rank: Math.min(row.rank, movedRow.rank) }
  }
  // An arrival from a place that the caller cannot read does not hide what is here.
  const draft = drafts.find((each) => each[id] !== null && each[id] === row[id])
  if (!draft) return row
  if (!draft.is_deleted && draft.path === null) return { ...row, ...toShownColumns(draft, row) }
  const rank = (await read(draft.path ?? address.path))?.rank
  return rank ? { ...row, ...NOTHING_HERE } : row
}

/** Whether the request restores from the trash what is new at the address. */
export function isRestored({ base_path, base_version }: Pick<DraftRow, 'base_path' | 'base_version'>): boolean {
  return base_path === null && base_version !== null
}

/** The columns of a row that a draft decides. */
export function toShownColumns(draft: DraftRow, row: { readonly version: number }) {
  const { page_id, file_id, id, path, revision_id, body: data, title, frontmatter, note, base_version } = draft
  const { updated_at, updated_by, updated_by_name, updated_by_kind, updated_by_via } = draft
  const editor = { updated_at, updated_by, updated_by_name, updated_by_kind, updated_by_via }
  const { created_at, created_by, created_by_name, created_by_kind, created_by_via } = draft
  const creator = { created_at, created_by, created_by_name, created_by_kind, created_by_via }
  const { resource, digest, size, content_type, width, height } = draft
  return {
    draft,
    ...(resource === 'page'
      ? { page_id: page_id ?? -id, ...(revision_id !== null && { revision_id, data, title, frontmatter, note }) }
      : { file_id: file_id ?? -id, digest, size, content_type, width, height }),
    ...(path !== null && { path }),
    ...editor,
    ...((page_id ?? file_id) === null && creator),
    version: revision_id === null ? row.version : isRestored(draft) ? 0 : (base_version ?? 0),
  }
}

/** The state of a page or draft in its ETags: `7`, `draft-12-3`. A draft of metadata has that of its page. */
export function toTag({ draft, version }: DraftedPage<DraftHead> & { readonly version: number }): VersionTag {
  return draft && draft.revision_id !== null ? `draft-${draft.number}-${draft.version}` : version
}

export function changeRequestUrl(publicUrl: string, space: string, number: number): string {
  return `${publicUrl}/spaces/${encodeURIComponent(space)}/change-requests/${number}`
}

/** What the response to a proposal adds to that of the write. */
export function toProposal(
  { config, overlay }: Pick<Ctx, 'config' | 'overlay'>,
  number: number,
): { readonly changeRequest: ProposalReference } {
  const space = overlay?.space ?? ''
  return { changeRequest: { number, url: changeRequestUrl(config.publicUrl, space, number) } }
}

/** The same of several; nothing where they are writes, or where none of them was kept in a new request. */
export function toProposals(ctx: Pick<Ctx, 'config' | 'overlay'>): Partial<ReturnType<typeof toProposal>> {
  return ctx.overlay?.number === undefined ? {} : toProposal(ctx, ctx.overlay.number)
}

/** Throws unless the scope of the caller lets them propose. */
export function requireProposer({ scope, visitor }: Caller): void {
  if (visitor === undefined && scope !== 'read') return
  throw new AppError('forbidden', 'Proposing changes needs a key with the scope `propose`, or a wider one.')
}

/** Whether a space takes proposals of readers with this rank. */
export function mayPropose(proposals: Proposals, rank: Rank): boolean {
  return proposals === 'readers' || (proposals === 'editors' && rank >= toRank('editor'))
}

/** The change request that the parameters of a request name: a number, or `new` with a title. */
export function parseOverlay(
  space: string,
  { changeRequest, title }: { readonly changeRequest: string; readonly title?: string | undefined },
): Overlay {
  if (changeRequest !== 'new') return { space, number: Number(changeRequest) }
  if (title !== undefined && title.trim() !== '') return { space, title: title.trim() }
  const detail = 'A new change request needs a title: `?changeRequest=new&title=…`. Every reader of the space sees it.'
  throw inputError('invalid_request', detail, '/title', 'is required for a new change request')
}
