import { AppError } from '@recto/contract/errors.ts'
import type { PageAddress } from '@recto/contract/page-address.ts'
import { unpackBody } from '@recto/lib/encoding/body-codec.ts'
import type { Content } from '@recto/markdown/engine/content-cache.ts'
import type { AddressArgs, Visibility } from '../../access/addressed-page.ts'
import type { Ctx } from '../../access/ctx.ts'
import { requireExisting } from '../../access/missing.ts'
import { type DraftedPage, type DraftHead, isOverlaid, withDraft } from '../../access/overlay.ts'
import { readPlaces } from '../../access/shown-places.ts'
import { findVerification } from '../../access/verification.ts'
import { toAccessSubject, toSpaceAddress } from '../../access/visibility.ts'
import { annotateLinks, type ToUrl } from '../links/annotate-links.ts'
import { withDraftedFiles } from '../links/drafted-files.ts'
import * as pageFiles from '../links/page-files.ts'
import type { LinkSource } from '../links/resolve.ts'
import { showTargets } from '../links/shown-targets.ts'
import { type LinkState, listTargets, toLinkStates } from '../links/store-states.ts'
import { linkedPages } from '../links/targets.ts'
import type { PagesCtx } from './ctx.ts'
import { type Page, type PageRow, toPage } from './page.ts'
import { translateBody } from './reading/translate-body.ts'
import * as store from './store.ts'

export interface ReadPage {
  readonly space: string
  readonly path: string
  /** Absent: the latest version. */
  readonly version?: number
  /** Whether to look up which of its links are broken: HTML shows it. */
  readonly links?: boolean
}

/** How the HTML of a page is shown. */
interface ShownHtml {
  /** The URL of each link. */
  readonly toUrl?: ToUrl | undefined
  /** Where a missing file can be uploaded. */
  readonly toUploadUrl?: pageFiles.ToUploadUrl | undefined
  /** Whether external images are loaded although the configuration blocks them. */
  readonly externalImages?: boolean | undefined
  /** The attributes of its files, where they are shown by other URLs than their own. */
  readonly files?: readonly pageFiles.FileState[] | undefined
}

export interface PageRevision {
  readonly revisionId: string
  readonly version: number
  readonly latestVersion: number
  readonly space: { readonly id: number; readonly slug: string; readonly name: string; readonly visibility: Visibility }
  readonly content: Content
  /** Which of its links are missing or redirect, as far as the caller may know; empty unless looked up. */
  readonly linkStates: readonly LinkState[]
  /** The attributes of the files that it may refer to; empty unless requested. */
  readonly fileStates: readonly pageFiles.FileState[]
  /** Its HTML with marked links. */
  html(htmlOptions?: ShownHtml): Promise<string>
  readonly verification: Page['verification']
  /** The page object without its body. */
  page(): Promise<Page>
  readonly row: PageRow & Pick<store.HeadRow, 'rank' | 'is_restricted' | 'space_proposals' | 'page_id'>
}

/** The page, or one revision of it, in one round trip; `not_found` if there is none that the caller can see. */
export async function readPage(ctx: PagesCtx, input: ReadPage): Promise<PageRevision> {
  return input.version === undefined ? readLatest(ctx, input) : readVersion(ctx, input, input.version)
}

/** The latest body of a page. Markdown is read most often, and needs no other column of the page. */
export async function readLatestBody(
  ctx: PagesCtx,
  input: PageAddress,
): Promise<DraftedPage<DraftHead> & { readonly version: number; readonly content: Content; readonly updatedAt: Date }> {
  const { row, content } = await readContent(ctx, input, (args) =>
    store.readBody[toSpaceAddress(input.space)].first(ctx.db, args),
  )
  return { version: row.version, draft: row.draft, content, updatedAt: row.updated_at }
}

async function readLatest(ctx: PagesCtx, input: ReadPage): Promise<PageRevision> {
  const address = toSpaceAddress(input.space)
  if (input.links && !ctx.overlay) return readLinked(ctx, input)
  const { row, content } = await readContent(ctx, input, (args) => store.readHead[address].first(ctx.db, args))
  const references = input.links ? await lookUpReferences(ctx, row, content) : {}
  return revision(ctx, row, { content, latestVersion: row.version, ...references })
}

/** The same with the states of its links and files. */
async function readLinked(ctx: PagesCtx, input: ReadPage): Promise<PageRevision> {
  const { row, content } = await readContent(ctx, input, (args) =>
    store.readHeadAndLinks[toSpaceAddress(input.space)].first(ctx.db, args),
  )
  const linkStates = await loadLinkStates(ctx, row)
  const files = await lookUpFiles(ctx, row, content, linkStates)
  return revision(ctx, row, { content, latestVersion: row.version, linkStates, files })
}

/** The states of the links of a page; most pages have none that depend on the caller. */
async function loadLinkStates(ctx: PagesCtx, row: store.LinkedHeadRow): Promise<readonly LinkState[]> {
  if (!row.has_other_links) return row.link_states ?? []
  const page = { ...toAccessSubject(ctx.actor), spaceId: row.space_id, pageId: row.page_id ?? 0 }
  return (await store.readLinkStates.first(ctx.db, page))?.link_states ?? []
}

/** The key of what is cached about a page, by its URL: a personal space has one for each person. */
function cacheKey(ctx: Ctx, { space, path }: PageAddress): string {
  return `${space === 'personal' ? ctx.actor.id : space}/${path}`
}

/** The row that `query` finds, and its body: from the cache if this node read the same revision last. */
async function readContent<R extends store.BodyRow & DraftedPage<DraftHead>>(
  ctx: PagesCtx,
  input: PageAddress,
  query: (args: AddressArgs & { known: string | null }) => Promise<R | undefined>,
) {
  const hintKey = cacheKey(ctx, input)
  const hint = ctx.pages.contents.hint(hintKey)
  // Referenced from here on, so that the cache may evict it while the database responds.
  const hintedContent = hint === null ? undefined : ctx.pages.contents.get(hint)
  const knownHash = hintedContent ? hint : null
  const args = { ...toAccessSubject(ctx.actor), slug: input.space, path: input.path, known: knownHash }
  const read = () => withDraft(ctx, input, (path) => query({ ...args, path }))
  const row = await requireExisting(ctx, 'page', read, input, 'viewer')
  const content = hintedContent && knownHash === row.revision_id ? hintedContent : await unpackHead(ctx, row)
  if (!ctx.overlay && knownHash !== row.revision_id) ctx.pages.contents.setHint(hintKey, row.revision_id)
  return { row, content }
}

async function unpackHead(ctx: PagesCtx, row: store.BodyRow): Promise<Content> {
  const cachedContent = ctx.pages.contents.get(row.revision_id)
  if (cachedContent) return cachedContent
  if (!row.data) throw new Error(`The page ${row.page_id} has no body`)
  return ctx.pages.contents.put(row.revision_id, await unpackBody(row.data))
}

async function readVersion(ctx: PagesCtx, input: ReadPage, version: number): Promise<PageRevision> {
  const args = { ...toAccessSubject(ctx.actor), slug: input.space, path: input.path, version }
  const read = () => store.readRevision[toSpaceAddress(input.space)].first(ctx.db, args)
  const row = await requireExisting(ctx, 'page', read, input, 'viewer')
  if (row.version === null) {
    const detail = `The page has no version ${version}: its latest is ${row.latest_version}.`
    throw new AppError('not_found', detail)
  }
  const content = ctx.pages.contents.get(row.revision_id) ?? (await unpackRevision(ctx, row))
  const references = input.links ? await lookUpReferences(ctx, row, content) : {}
  return revision(ctx, row, {
    content,
    latestVersion: row.latest_version,
    frontmatter: async () => JSON.stringify(await readFrontMatter(ctx, content)),
    ...references,
  })
}

/** The links of an old revision, or of a draft, are not stored: the states of their targets are looked up. */
async function lookUpReferences(ctx: PagesCtx, row: store.HeadRow, content: Content) {
  const linkStates = await findLinkStates(ctx, row, content)
  return { linkStates, files: await lookUpFiles(ctx, row, content, linkStates) }
}

/** A body that is too complex by the limits of today is shown as source, which contains its front matter. */
async function readFrontMatter(ctx: PagesCtx, content: Content): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await ctx.pages.markdown.analyse(content.body.toString('utf8'))).frontmatter
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'markdown_too_complex')) throw error
    return (await content.rendered()).frontmatter
  }
}

async function findLinkStates(ctx: Ctx, row: store.HeadRow, content: Content): Promise<readonly LinkState[]> {
  const renderedPage = await content.rendered()
  const targets = await linkedPages(renderedPage, toLinkSource(ctx, row))
  const rowsPromise = listTargets(ctx.db, toAccessSubject(ctx.actor), row.space_id, targets)
  if (!isOverlaid(ctx)) return toLinkStates(await rowsPromise)
  const writtenPaths = targets.map(({ path }) => path)
  const readAt = (paths: readonly string[]) => readPlaces(ctx, row.space_id, false, paths)
  const [rows, places] = await Promise.all([rowsPromise, readAt(writtenPaths)])
  const newPaths = rows.flatMap(({ path, now_path }) => (now_path === path ? [] : [now_path]))
  const shownPlaces = newPaths.length === 0 ? places : await readAt([...writtenPaths, ...newPaths])
  return toLinkStates(showTargets(shownPlaces, row.space_slug, rows, row.draft))
}

/** Where the links of a page are written: those of a page that a change request moves are rewritten by the merge. */
function toLinkSource({ config }: Ctx, { space_slug: space, path, draft }: store.HeadRow): LinkSource {
  return { space, path: draft?.page_path ?? path, publicOrigin: config.publicUrl }
}

/** The attributes of the files that its images and links refer to. */
async function lookUpFiles(
  ctx: Ctx,
  row: store.HeadRow,
  content: Content,
  linkStates: readonly LinkState[],
): Promise<readonly pageFiles.FileState[]> {
  const targets = await pageFiles.fileTargets(await content.rendered(), toLinkSource(ctx, row), linkStates)
  const states = pageFiles.listFileStates(ctx.db, toAccessSubject(ctx.actor), row.space_id, targets)
  const isNew = row.draft?.page_id === null
  return isOverlaid(ctx) ? withDraftedFiles(ctx, row.space_id, states, { targets, isNew }) : states
}

async function unpackRevision(ctx: PagesCtx, row: store.RevisionBodyRow): Promise<Content> {
  if (!row.data) throw new Error(`The revision ${row.revision_id} has no body`)
  const base = row.base_data ? await unpackBody(row.base_data) : undefined
  return ctx.pages.contents.put(row.revision_id, await unpackBody(row.data, base))
}

/** What belongs to a revision in addition to its row, which concurrent reads share. */
interface Beside {
  readonly content: Content
  readonly latestVersion: number
  /** Where it is not that of the row. */
  readonly frontmatter?: () => Promise<string>
  readonly linkStates?: readonly LinkState[]
  readonly files?: readonly pageFiles.FileState[]
}

const NO_FILES: readonly pageFiles.FileState[] = []

function revision(ctx: PagesCtx, row: store.HeadRow, beside: Beside): PageRevision {
  const { content, latestVersion, files = NO_FILES, linkStates = [], frontmatter } = beside
  const at = toLinkSource(ctx, row)
  return {
    revisionId: row.revision_id,
    version: row.version,
    latestVersion,
    space: { id: row.space_id, slug: row.space_slug, name: row.space_name, visibility: row.space_visibility },
    content,
    linkStates,
    fileStates: files,
    verification: findVerification(row, ctx.now()),
    async html({ toUrl, toUploadUrl, externalImages = ctx.config.externalImages === 'load', files: own = files } = {}) {
      const findFile = pageFiles.linkedFile(at, own, toUploadUrl)
      const linkedHtml = await annotateLinks(await content.rendered(), at, linkStates, toUrl, findFile)
      const html = await pageFiles.annotateImages(linkedHtml, at, own, toUploadUrl)
      const { markdown } = ctx.pages
      return translateBody(externalImages ? html : await markdown.hideExternalImages(html, ctx.config.publicUrl))
    },
    row,
    async page() {
      const shownRow = frontmatter ? { ...row, frontmatter: await frontmatter() } : row
      return toPage(shownRow, row.space_slug, ctx)
    },
  }
}
