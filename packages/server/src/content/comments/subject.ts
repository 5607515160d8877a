import { AppError } from '@recto/contract/errors.ts'
import type { PageAddress } from '@recto/contract/page-address.ts'
import type { Proposals } from '../../access/addressed-page.ts'
import { type Caller, toRank } from '../../access/caller.ts'
import type { Ctx } from '../../access/ctx.ts'
import { withoutRedirect } from '../../access/missing.ts'
import { mayPropose } from '../../access/overlay.ts'
import type { Resource } from '../../access/resource.ts'
import { rankPaths } from '../../access/space.ts'
import { toAccessSubject } from '../../access/visibility.ts'
import type { Tx } from '../../platform/database/transaction.ts'
import { requireRequest } from '../change-requests/requests.ts'
import { listChanges } from '../change-requests/store.ts'
import { findFile } from '../files/find.ts'
import { findPage } from '../pages/find.ts'
import { readSpace } from '../spaces/space.ts'
import type { ThreadRow, ThreadSubject } from './store-threads.ts'

/** Where a caller names what a thread is about: a page, a file, a change request or one of its changes. */
export type SubjectAddress =
  | (PageAddress & { readonly resource?: Resource | undefined; readonly number?: undefined })
  | {
      readonly space: string
      readonly number: number
      readonly path?: string
      readonly resource?: Resource | undefined
    }

export interface KnownSubject {
  readonly target: ThreadSubject
  /** Of the page or file. */
  readonly version?: number
  /** Of a change. */
  readonly draftId?: number
}

/** What threads at an address are about, if the caller reads it. */
export async function requireSubject(ctx: Ctx, address: SubjectAddress): Promise<KnownSubject> {
  if (address.number !== undefined) return requireRequestSubject(ctx, address)
  if (address.resource === 'file') {
    const file = await findFile(ctx, address, 'viewer')
    return { target: { spaceId: file.space_id, fileId: file.file_id, path: address.path }, version: file.version }
  }
  const page = await findPage(ctx, address, 'viewer')
  return { target: { spaceId: page.space_id, pageId: page.page_id, path: address.path }, version: page.version }
}

async function requireRequestSubject(
  ctx: Ctx,
  { space, number, path, resource }: Extract<SubjectAddress, { readonly number: number }>,
): Promise<KnownSubject> {
  const { row } = await requireRequest(ctx, { space, number })
  const target = { spaceId: row.space_id, number }
  if (path === undefined) return { target }
  const changes = await listChanges(ctx.db, toAccessSubject(ctx.actor), { ...target, path })
  const change = changes.find((each) => resource === undefined || each.resource === resource)
  if (!change) throw new AppError('not_found', `The change request has no change of \`${path}\` that you can read.`)
  return { target: { ...target, path }, draftId: change.id }
}

/** The same for a write, if the space takes comments of the caller. Writes do not follow a page that has moved. */
export async function requireCommentable(tx: Ctx & Tx, address: SubjectAddress): Promise<KnownSubject> {
  const subject = await requireSubject(tx, address).catch(withoutRedirect)
  const { spaceId: space_id, path = null } = subject.target
  await requireCommenter(tx, address.space, { space_id, path })
  return subject
}

/** Throws unless the caller may comment in a space that they read. */
export async function requireCommenter(tx: Ctx & Tx, space: string, place: Place): Promise<void> {
  requireWriter(tx)
  const { comments } = await readSpace(tx, space)
  if (await takesComments(tx, comments, place)) return
  const detail = comments === 'off' ? 'takes no comments' : 'takes comments of its editors only'
  throw new AppError('forbidden', `This space ${detail}.`)
}

type Place = Pick<ThreadRow, 'space_id' | 'path'>

/** Whether a space takes comments of the caller at a place of it. */
async function takesComments({ db, actor }: Ctx, comments: Proposals, { space_id, path }: Place): Promise<boolean> {
  if (comments !== 'editors') return comments === 'readers'
  // The scope of a key that may only propose is no lower role, and a comment needs no review.
  const [row] = await rankPaths({ db, actor: { ...actor, scope: 'admin', merges: true } }, space_id, [path ?? ''])
  return row !== undefined && mayPropose(comments, row.rank)
}

/** What the caller may do with the threads about something. */
export interface CommentAccess {
  readonly mayComment: boolean
  readonly isEditor: boolean
  readonly isAdmin: boolean
}

export async function readCommentAccess(ctx: Ctx, address: SubjectAddress): Promise<CommentAccess> {
  const { target } = await requireSubject(ctx, address)
  const { comments } = await readSpace(ctx, address.space)
  const path = target.path ?? ''
  const [row] = await rankPaths(ctx, target.spaceId, [path])
  const rank = row?.rank ?? 0
  const mayComment = isWriter(ctx.actor) && (await takesComments(ctx, comments, { space_id: target.spaceId, path }))
  return { mayComment, isEditor: rank >= toRank('editor'), isAdmin: rank >= toRank('admin') }
}

function isWriter({ visitor, scope }: Caller): boolean {
  return visitor === undefined && scope !== 'read'
}

/** Throws unless the credential of the caller is for more than reading. */
function requireWriter({ actor }: Ctx): void {
  if (isWriter(actor)) return
  throw new AppError('forbidden', 'Comments need a key with the scope `propose`, or a wider one.')
}
