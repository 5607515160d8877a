import type { Ctx } from '../access/ctx.ts'
import { requireStanding } from '../access/page.ts'
import { addressOf, sightOf } from '../access/visibility.ts'
import { AppError } from '../errors.ts'
import type { Content } from '../markdown/content-cache.ts'
import { unpackBody } from './body-codec.ts'
import { type Page, type PageRow, toPage } from './page.ts'
import { type HeadRow, type RevisionBodyRow, readHead, readRevision } from './store.ts'

export interface ReadPage {
  readonly space: string
  readonly path: string
  /** Absent: the latest. */
  readonly version?: number
}

/** A page as one revision shows it. */
export interface PageRevision {
  readonly revisionId: string
  readonly version: number
  readonly latestVersion: number
  readonly space: { readonly id: number; readonly slug: string; readonly name: string }
  readonly content: Content
  /** The page object without its body. */
  page(): Promise<Page>
  readonly row: PageRow
}

/** The page, or one revision of it, in one round trip; `not_found` where there is none that the caller can see. */
export async function readPage(ctx: Ctx, input: ReadPage): Promise<PageRevision> {
  return input.version === undefined ? readLatest(ctx, input) : readVersion(ctx, input, input.version)
}

async function readLatest(ctx: Ctx, input: ReadPage): Promise<PageRevision> {
  const hintKey = `${input.space === 'personal' ? ctx.actor.id : input.space}/${input.path}`
  const hint = ctx.contents.hint(hintKey)
  // Held from here on, so that the cache may forget it while the database answers.
  const hinted = hint === null ? undefined : ctx.contents.get(hint)
  const known = hinted ? hint : null
  const args = { ...sightOf(ctx.actor), slug: input.space, path: input.path, known }
  const row = requireStanding(await readHead[addressOf(input.space)].first(ctx.db, args), input, 'viewer')
  const content = hinted && known === row.revision_id ? hinted : await unpackHead(ctx, row)
  if (known !== row.revision_id) ctx.contents.setHint(hintKey, row.revision_id)
  return revision(ctx, row, content, row.version, async () => row.frontmatter)
}

async function unpackHead(ctx: Ctx, row: HeadRow): Promise<Content> {
  const cached = ctx.contents.get(row.revision_id)
  if (cached) return cached
  if (!row.data) throw new Error(`The page ${row.page_id} has no body`)
  return ctx.contents.put(row.revision_id, await unpackBody(row.data))
}

async function readVersion(ctx: Ctx, input: ReadPage, version: number): Promise<PageRevision> {
  const args = { ...sightOf(ctx.actor), slug: input.space, path: input.path, version }
  const row = requireStanding(await readRevision[addressOf(input.space)].first(ctx.db, args), input, 'viewer')
  if (row.version === null) {
    throw new AppError(
      'not_found',
      `The page has no version ${version}: its latest is ${row.latest_version}.`,
    )
  }
  const content = ctx.contents.get(row.revision_id) ?? (await unpackRevision(ctx, row))
  const frontmatter = async () =>
    JSON.stringify((await ctx.markdown.analyse(content.body.toString('utf8'))).frontmatter)
  return revision(ctx, row, content, row.latest_version, frontmatter)
}

async function unpackRevision(ctx: Ctx, row: RevisionBodyRow): Promise<Content> {
  if (!row.data) throw new Error(`The revision ${row.revision_id} has no body`)
  const base = row.base_data ? await unpackBody(row.base_data) : undefined
  return ctx.contents.put(row.revision_id, await unpackBody(row.data, base))
}

function revision(
  ctx: Ctx,
  row: HeadRow,
  content: Content,
  latestVersion: number,
  frontmatter: () => Promise<string>,
): PageRevision {
  return {
    revisionId: row.revision_id,
    version: row.version,
    latestVersion,
    space: { id: row.space_id, slug: row.space_slug, name: row.space_name },
    content,
    row,
    page: async () => toPage({ ...row, frontmatter: await frontmatter() }, row.space_slug, ctx.publicUrl),
  }
}
