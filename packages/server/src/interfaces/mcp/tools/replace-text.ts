import { AppError, inputError } from '@recto/contract/errors.ts'
import { type PageAddress, parseSlug } from '@recto/contract/page-address.ts'
import { counted } from '@recto/lib/text/counted.ts'
import { Type } from 'typebox'
import type { PagesCtx } from '../../../content/pages/ctx.ts'
import { editPage } from '../../../content/pages/edit.ts'
import { findPage } from '../../../content/pages/find.ts'
import { findText, type PageWithText } from '../../../content/pages/find-text.ts'
import { readPage } from '../../../content/pages/read.ts'
import { noteSchema } from '../../../content/pages/schema.ts'
import { withNeededRoles } from '../../../identity/rights/reauthorization.ts'
import type { List } from '../../../platform/http/paging.ts'
import { strictObject, text } from '../../../platform/http/schemas.ts'
import { pathPrefix, resolveAddress } from '../address.ts'
import { cursorArgument, dryRunArgument, ifVersion, invalidArgument } from '../arguments.ts'
import { countFitting, truncate } from '../bounds.ts'
import { toPrecondition, toState } from '../change-request.ts'
import { findHits } from '../hits.ts'
import { defineTool } from '../tool.ts'

interface PageResult {
  readonly page: string
  readonly count: number
  /** The new version, or that of the draft, once it is written. */
  readonly version?: number | null
  readonly draft?: number
  readonly hits: Awaited<ReturnType<typeof findHits>>['hits']
  readonly error?: string
}

/** Hits of one page that are listed. */
const MAX_HITS = 20
const MAX_EXCERPT = 120
const NONE = 'No results: the text must be exact, with letter case. Try a part of it, or context_search.'

export const replaceTextTool = defineTool({
  name: 'context_replace_text',
  title: 'Replace text in pages',
  description:
    'Replaces exact text in one page, or without `path` in all pages of a space. ' +
    '`dryRun` lists hits with line and heading; the same call without it applies.',
  scope: 'write',
  changeRequest: 'propose',
  input: strictObject({
    space: Type.Optional(Type.String({ minLength: 1 })),
    path: Type.Optional(Type.String({ description: 'One page.' })),
    prefix: Type.Optional(text({ maxLength: 1024, description: 'Path prefix, such as `guide/`.' })),
    find: Type.String({ minLength: 1, maxLength: 10_000 }),
    replace: Type.String({ maxLength: 100_000 }),
    all: Type.Optional(Type.Boolean({ description: 'All hits of one page. Default: there must be one.' })),
    dryRun: dryRunArgument,
    note: Type.Optional(noteSchema),
    cursor: cursorArgument,
  }),
  async run(ctx, input, deps) {
    const { path, find, dryRun = false } = input
    const { items, nextCursor } = path === undefined ? await inSpace(ctx, input) : await inPage(ctx, { ...input, path })
    if (!dryRun) await deps.countFurther(items.length - 1)
    const results: PageResult[] = []
    const eachCtx = withNeededRoles(ctx, [])
    for (const page of items) {
      const pageHits = { ...(await findHits(ctx, page.body, find, MAX_HITS)), page: `${page.space}/${page.path}` }
      results.push(dryRun ? pageHits : { ...pageHits, ...(await replaceIn(eachCtx, page, input, items.length > 1)) })
    }
    return result(results, nextCursor, dryRun)
  },
})

interface Input {
  readonly space?: string
  readonly prefix?: string
  readonly find: string
  readonly replace: string
  readonly all?: boolean
  readonly note?: string
  readonly cursor?: string
}

async function inSpace(ctx: PagesCtx, { space, prefix = '', find, cursor, all }: Input): Promise<List<PageWithText>> {
  if (space === undefined) throw invalidArgument('space', 'is required, or a `path`')
  if (all === false) throw invalidArgument('all', 'requires `path`')
  const list = await findText(ctx, {
    space: parseSlug(space),
    prefix: pathPrefix(prefix),
    find,
    role: ctx.overlay ? 'viewer' : 'editor',
    ...(cursor !== undefined && { cursor }),
  })
  if (!ctx.overlay) return list
  const items: PageWithText[][] = []
  for (const page of list.items) items.push(await readDrafted(ctx, page, find))
  return { ...list, items: items.flat() }
}

/** A page as the change request shows it, if it has the text there. */
async function readDrafted(ctx: PagesCtx, { space, path }: PageAddress, find: string): Promise<PageWithText[]> {
  try {
    const { version, content } = await readPage(ctx, { space, path })
    const body = content.body.toString('utf8')
    return body.includes(find) ? [{ space, path, version, body }] : []
  } catch (error) {
    // The change request deletes it.
    if (error instanceof AppError && error.code === 'not_found') return []
    throw error
  }
}

async function inPage(
  ctx: PagesCtx,
  { space, path, find, prefix, cursor, all = false }: Input & { readonly path: string },
): Promise<List<PageWithText>> {
  if (prefix !== undefined) throw invalidArgument('prefix', 'cannot be combined with `path`')
  if (cursor !== undefined) throw invalidArgument('cursor', 'cannot be combined with `path`')
  const address = await resolveAddress(ctx, { path, ...(space !== undefined && { space }) }, 'write')
  const { version } = await findPage(ctx, address, 'editor')
  const { content } = await readPage(ctx, { ...address, ...(!ctx.overlay && { version }) })
  const body = content.body.toString('utf8')
  const { count } = await findHits(ctx, body, find, 0)
  if (count === 0) throw notApplicable('`find` is not in the page.')
  if (count > 1 && !all) throw notApplicable(`\`find\` occurs ${count} times: send \`all\`, or a longer text.`)
  return { items: [{ ...address, version, body }], nextCursor: null }
}

/**
 * Replaces in the version that was read; `lenient`: a page that was changed meanwhile is reported, and the others are
 * still replaced.
 */
async function replaceIn(
  ctx: PagesCtx,
  { space, path, version, body }: PageWithText,
  { find, replace, note }: Input,
  lenient: boolean,
): Promise<Pick<PageResult, 'version' | 'draft' | 'error'>> {
  const expectedCount = body.split(find).length - 1
  try {
    const { page } = await editPage(ctx, {
      space,
      path,
      edits: [{ op: 'replace', find, text: replace, expectedCount }],
      note,
      preconditions: ctx.overlay ? await toPrecondition(ctx, { space, path }, {}, '*') : ifVersion(version),
    })
    return toState(page)
  } catch (error) {
    if (!lenient || !(error instanceof AppError)) throw error
    return { error: `${error.code}: ${error.message}` }
  }
}

function result(results: readonly PageResult[], nextCursor: string | null, dryRun: boolean) {
  const done = results.filter(({ error }) => error === undefined)
  const hits = done.reduce((sum, { count }) => sum + count, 0)
  const lines = results.flatMap(dryRun ? hitLines : resultLine)
  const shownLines = lines.slice(0, countFitting(lines))
  const items = results.slice(0, countFitting(results))
  return {
    data: { dryRun, pages: done.length, hits, items, nextCursor },
    text: [
      [
        `${dryRun ? 'Dry run. Would replace' : 'Replaced'} ${counted(hits, 'hit')} in ${counted(done.length, 'page')}.`,
        ...shownLines,
        ...(results.length === 0 ? [NONE] : []),
        ...(lines.length > shownLines.length ? [`${lines.length - shownLines.length} more lines.`] : []),
        ...(nextCursor === null ? [] : [`More pages: call again with cursor ${nextCursor}`]),
      ],
    ],
  }
}

function hitLines({ page, count, hits }: PageResult): string[] {
  const lines = hits.map(
    ({ line, heading, excerpt }) =>
      `  line ${line}${heading === null ? '' : ` (${truncate(heading, 60)})`}: ${truncate(excerpt, MAX_EXCERPT)}`,
  )
  return [`${page}:`, ...lines, ...(count > hits.length ? [`  ${count - hits.length} more hits`] : [])]
}

function resultLine({ page, count, version, draft, error }: PageResult): string[] {
  const state = draft === undefined ? `version ${version}` : `draft ${draft}`
  return [`${page}: ${error ?? `${counted(count, 'hit')}, ${state}`}`]
}

function notApplicable(detail: string): AppError {
  return inputError('edit_not_applicable', `${detail} Nothing was changed.`, '/find', detail)
}
