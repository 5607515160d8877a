import { setImmediate as turn } from 'node:timers/promises'
import { AppError } from '@recto/contract/errors.ts'
import { withoutIds } from '@recto/markdown/diff/block-diff.ts'
import type { Thread } from '../../../content/comments/schema.ts'
import { type CommentAccess, readCommentAccess, type SubjectAddress } from '../../../content/comments/subject.ts'
import { listSubjectThreads } from '../../../content/comments/threads.ts'
import { findUnreadThreads } from '../../../content/notifications/notifications.ts'
import type { PagesCtx } from '../../../content/pages/ctx.ts'
import { translateBody } from '../../../content/pages/reading/translate-body.ts'
import { orFormError } from '../screen.ts'

const MAX_SHOWN = 200

/** A thread with its comments as HTML. */
export interface ShownThread extends Omit<Thread, 'comments'> {
  readonly comments: readonly (Thread['comments'][number] & {
    readonly html: string | undefined
    readonly isOwn: boolean
  })[]
  readonly mayResolve: boolean
  /** That of the reader, while it is unread. */
  readonly notification: string | undefined
}

/** The threads about something as a screen shows them: those of a page in the order of their places. */
export interface ThreadsView extends CommentAccess {
  readonly address: SubjectAddress
  readonly open: readonly ShownThread[]
  readonly resolved: readonly ShownThread[]
  /** Whether there are more than a screen shows. */
  readonly isCut: boolean
}

export async function readThreads(ctx: PagesCtx, address: SubjectAddress): Promise<ThreadsView> {
  const access = await readCommentAccess(ctx, address)
  const list = await listSubjectThreads(ctx, address, { limit: MAX_SHOWN })
  const unread = await findUnreadThreads(
    ctx,
    list.items.map(({ id }) => id),
  )
  const threads: ShownThread[] = []
  for (const thread of list.items) {
    threads.push({ ...(await toShown(ctx, access, thread)), notification: unread.get(thread.id) })
    // Texts are rendered on this thread: other requests get their turn.
    await turn()
  }
  const inOrder = threads.toSorted((a, b) => (a.place?.startLine ?? 0) - (b.place?.startLine ?? 0))
  return {
    ...access,
    address,
    open: inOrder.filter(({ state }) => state === 'open'),
    resolved: inOrder.filter(({ state }) => state === 'resolved'),
    isCut: list.nextCursor !== null,
  }
}

async function toShown(
  ctx: PagesCtx,
  access: CommentAccess,
  thread: Thread,
): Promise<Omit<ShownThread, 'notification'>> {
  const comments = await Promise.all(
    thread.comments.map(async (comment) => ({
      ...comment,
      html: await renderText(ctx, comment.body),
      isOwn: comment.author.id === ctx.actor.id,
    })),
  )
  const mayResolve = access.mayComment && (access.isEditor || thread.author.id === ctx.actor.id)
  return { ...thread, comments, mayResolve }
}

/** A description or comment as HTML without ids; undefined where it is empty or too complex. */
export async function renderText(ctx: PagesCtx, text: string): Promise<string | undefined> {
  if (text.trim() === '') return undefined
  const page = await orFormError(() => ctx.pages.markdown.render(text))
  if (page instanceof AppError) return undefined
  const html = withoutIds(page.html)
  const { markdown } = ctx.pages
  const isWhole = ctx.config.externalImages === 'load'
  return translateBody(isWhole ? html : await markdown.hideExternalImages(html, ctx.config.publicUrl))
}
