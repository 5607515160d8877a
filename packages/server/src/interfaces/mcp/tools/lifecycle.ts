import { redirectEndedText } from '@recto/contract/redirect-ended.ts'
import { counted } from '@recto/lib/text/counted.ts'
import { Type } from 'typebox'
import { isOverlaid } from '../../../access/overlay.ts'
import { checkPreconditions } from '../../../access/preconditions.ts'
import { attendMove } from '../../../content/lifecycle/attend-move.ts'
import { moveToTrash } from '../../../content/lifecycle/delete.ts'
import { deleteFolder } from '../../../content/lifecycle/delete-folder.ts'
import { moveFolder, movePage } from '../../../content/lifecycle/move.ts'
import type { MoveOutcome } from '../../../content/lifecycle/move-order.ts'
import { proposeDeletion } from '../../../content/lifecycle/propose-deletion.ts'
import { proposeMove } from '../../../content/lifecycle/propose-move.ts'
import { restorePage } from '../../../content/lifecycle/restore.ts'
import type { PagesCtx } from '../../../content/pages/ctx.ts'
import { findPage } from '../../../content/pages/find.ts'
import { makeLatest } from '../../../content/pages/revisions.ts'
import { strictObject } from '../../../platform/http/schemas.ts'
import { parseTarget, resolveAddress } from '../address.ts'
import { dryRunArgument, guardArgument, invalidArgument, pageArguments, versionArgument } from '../arguments.ts'
import { countFitting, MAX_CONTENT } from '../bounds.ts'
import { draftArgument, stateText, toPrecondition, toState } from '../change-request.ts'
import { defineTool } from '../tool.ts'

const prefixArgument = Type.Optional(Type.Boolean({ description: 'All pages below it, too.' }))

export const movePageTool = defineTool({
  name: 'context_move_page',
  title: 'Move a page or folder',
  description: 'Moves a page, or all below a prefix, and adapts links to them. Old addresses redirect.',
  scope: 'write',
  changeRequest: 'propose',
  destructive: false,
  input: strictObject({
    ...pageArguments,
    to: Type.String({ minLength: 1, description: 'New path, or `folder/`.' }),
    toSpace: Type.Optional(Type.String({ minLength: 1, description: 'Default: same space.' })),
    prefix: prefixArgument,
    rewriteLinks: Type.Optional(Type.Boolean({ default: true })),
    dryRun: dryRunArgument,
    version: guardArgument,
    draft: draftArgument,
  }),
  async run(ctx, { to, toSpace, prefix = false, rewriteLinks = true, dryRun = false, version, draft, ...page }, deps) {
    rejectVersionOfFolder(prefix, version ?? draft)
    const address = await resolveAddress(ctx, page, 'write')
    const input = { ...address, to: await parseTarget(ctx, { to, toSpace, from: address }), rewriteLinks, dryRun }
    const preconditions = await toPrecondition(ctx, address, { version, draft }, '*')
    const pageMove = { ...input, withChildren: prefix, preconditions }
    const outcome = isOverlaid(ctx)
      ? await proposeMove(ctx, pageMove)
      : await (prefix ? attendMove(deps, ctx, input, moveFolder) : attendMove(deps, ctx, pageMove, movePage))
    return { data: bounded(outcome), text: [moveText(outcome)] }
  },
})

export const deletePageTool = defineTool({
  name: 'context_delete_page',
  title: 'Delete a page or folder',
  description: 'Moves a page, or all below a prefix, to the trash.',
  scope: 'write',
  changeRequest: 'propose',
  input: strictObject({
    ...pageArguments,
    prefix: prefixArgument,
    dryRun: dryRunArgument,
    version: guardArgument,
    draft: draftArgument,
  }),
  async run(ctx, { prefix = false, dryRun = false, version, draft, ...page }) {
    rejectVersionOfFolder(prefix, version ?? draft)
    if (prefix && ctx.overlay) throw invalidArgument('prefix', 'cannot be combined with `changeRequest`')
    const address = await resolveAddress(ctx, page, 'write')
    const { deleted, files } = prefix
      ? await deleteFolder(ctx, { ...address, dryRun })
      : { deleted: [await deleteOne(ctx, address, dryRun, { version, draft })], files: [] }
    const shownPages = deleted.slice(0, countFitting(deleted))
    const lines = shownPages.map(({ space, path, title }) => `- ${space}/${path}: ${title}`)
    const head =
      `${dryRun ? 'Dry run. Would delete' : 'Deleted'} ` +
      `${counted(deleted.length, 'page')}${withFiles(files.length)}:`
    return {
      data: { dryRun, deleted: shownPages, total: deleted.length, files: files.length },
      text: [[head, ...lines, ...more(deleted.length - shownPages.length)]],
    }
  },
})

export const restorePageTool = defineTool({
  name: 'context_restore_page',
  title: 'Restore a page or an old version',
  description: 'Restores a page from the trash; with `version`, makes that text the latest version.',
  scope: 'write',
  changeRequest: 'propose',
  destructive: false,
  input: strictObject({ ...pageArguments, version: Type.Optional(versionArgument) }),
  async run(ctx, { version, ...input }) {
    const address = await resolveAddress(ctx, input, 'write')
    const page =
      version === undefined
        ? await restorePage(ctx, address)
        : await makeLatest(ctx, { ...address, version, preconditions: await toPrecondition(ctx, address, {}, '*') })
    return {
      data: { space: page.space, path: page.path, title: page.title, ...toState(page) },
      text: [`Restored ${page.space}/${page.path}. ${stateText(page)}.${redirectEndedText(page)}`],
    }
  },
})

async function deleteOne(
  ctx: PagesCtx,
  address: { readonly space: string; readonly path: string },
  dryRun: boolean,
  guard: { readonly version: number | undefined; readonly draft: number | undefined },
) {
  const { title, version: current, current: state } = await findPage(ctx, address, 'editor')
  const preconditions = await toPrecondition(ctx, address, guard, '*')
  if (dryRun) checkPreconditions(state, preconditions)
  else if (isOverlaid(ctx)) await proposeDeletion(ctx, 'page', { ...address, preconditions })
  else await moveToTrash(ctx, 'page', { ...address, preconditions })
  return { ...address, title, version: current }
}

/** A folder has no version: to ignore it would change pages that the caller has not read. */
function rejectVersionOfFolder(prefix: boolean, version: number | undefined): void {
  if (prefix && version !== undefined) throw invalidArgument('version', 'cannot be combined with `prefix`')
}

function moveText({
  dryRun,
  moved,
  files,
  rewritten,
  left,
  refusals,
  opens,
  closes,
  redirectsEnded = [],
}: MoveOutcome): string[] {
  const links = rewritten.reduce((sum, page) => sum + page.links.length, 0)
  const lines = [
    ...(closes ? [`- Closes to ${counted(closes.people, 'reader')}`] : []),
    ...(opens ? [`- Opens to ${opens.people} more readers, with ${counted(opens.revisions, 'version')}`] : []),
    ...moved.map(({ from, to }) => `- ${from.space}/${from.path} to ${to.space}/${to.path}`),
    ...redirectsEnded.map(
      ({ from, to }) => `- ${from.space}/${from.path} no longer redirects to ${to.space}/${to.path}`,
    ),
    ...refusals.map(({ path, detail }) => `- Not possible: ${path}: ${detail}`),
    ...left.map(({ space, path, line, href, reason }) => {
      const link = href === null ? 'a link' : `the link ${href}`
      return `- Not adapted (${reason}): ${link} in ${space}/${path}${line === null ? '' : ` line ${line}`}`
    }),
  ]
  const shownLines = lines.slice(0, countFitting(lines))
  const head = dryRun ? 'Dry run. Would move' : 'Moved'
  return [
    `${head} ${counted(moved.length, 'page')}${withFiles(files.length)}; ` +
      `${counted(links, 'link')} in ${counted(rewritten.length, 'page')} ${dryRun ? 'would be ' : ''}adapted.`,
    ...shownLines,
    ...more(lines.length - shownLines.length),
  ]
}

/** The lists of a move, each truncated to a part of the size limit. */
function bounded({ page: _, ...outcome }: MoveOutcome) {
  const cut = <T>(items: readonly T[]) => items.slice(0, countFitting(items, MAX_CONTENT / 4))
  const { moved, files, rewritten, left, refusals } = outcome
  return {
    dryRun: outcome.dryRun,
    moved: cut(moved),
    rewritten: cut(rewritten),
    left: cut(left),
    refusals: cut(refusals),
    total: {
      moved: moved.length,
      files: files.length,
      rewritten: rewritten.length,
      left: left.length,
      refusals: refusals.length,
    },
  }
}

function withFiles(count: number): string {
  return count === 0 ? '' : ` and ${counted(count, 'file')}`
}

function more(count: number): string[] {
  return count > 0 ? [`${count} more are not listed.`] : []
}
