import { createHash } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { pageUrl } from '@recto/contract/page-url.ts'
import { type CacheState, Lru } from '@recto/lib/lru.ts'
import { ownBytes } from '@recto/lib/own-bytes.ts'
import { iconMember } from '@recto/lib/text/emoji.ts'
import { toEditor } from '../../../access/authors.ts'
import { reaches, toRank } from '../../../access/caller.ts'
import { mayPropose } from '../../../access/overlay.ts'
import type { ToUrl } from '../../../content/links/annotate-links.ts'
import type { ToUploadUrl } from '../../../content/links/page-files.ts'
import type { PageRevision } from '../../../content/pages/read.ts'
import type { DocumentOptions, PageDocument, PageDocuments } from '../../../content/pages/reading/representations.ts'
import { currentLanguage } from '../html.ts'
import { lock } from '../lock.ts'
import { type PageView, pageDocument } from '../page-view.ts'
import { newPageUrl, uploadUrl, withQuery } from '../urls.ts'

interface Kept extends PageDocument {
  /** The inputs of the document besides the revision, as a cache key. */
  readonly shown: string
  /** What it takes of the cache. */
  size: number
}

/** A thousand pages of 6 kB. */
const MAX_BYTES = 40 * 1024 * 1024
const MAX_DESCRIPTION = 500
/** Longer documents keep the event loop busy for milliseconds. */
const LONG = 1024 * 1024
/** Memory overhead of an entry in bytes (measured). */
const ENTRY_BYTES = 1_000

/** Page documents, with the state of their cache. */
export interface CachedDocuments extends PageDocuments {
  readonly cache: CacheState
}

/** Renders the documents of pages, and caches each until one of its inputs changes. */
export function createPageDocuments(): CachedDocuments {
  const documents = new Lru<string, Kept>({ maxWeight: MAX_BYTES, weigh: ({ size }) => size })
  return {
    cache: documents,
    async getDocument(revision, options) {
      const shownKey = shownBeside(revision)
      const { externalImages, isGuest, isVisitor, changeRequest } = options
      // Editors see more than readers, guests less, and callers without an account least; all in their language.
      const key =
        `${revision.revisionId} ${revision.row.rank} ${externalImages === true} ${isGuest} ${isVisitor} ` +
        `${changeRequest} ${currentLanguage()}`
      const before = documents.get(key)
      if (before?.shown === shownKey) return before
      const text = pageDocument(await buildView(revision, options))
      // Encoding and hashing a long one take a turn of their own.
      if (text.length > LONG) await turn()
      const bytes = ownBytes(Buffer.from(text))
      const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
      const document: Kept = {
        bytes,
        digest,
        shown: shownKey,
        size: bytes.length + shownKey.length + ENTRY_BYTES,
        zipped: once(async () => {
          const gzipBytes = ownBytes(await promisify(gzip)(bytes))
          document.size += gzipBytes.length
          if (documents.get(key) === document) documents.set(key, document)
          return gzipBytes
        }),
      }
      documents.set(key, document)
      return document
    },
  }
}

/** Computes on first use. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let promise: Promise<T> | undefined
  return () => {
    promise ??= make()
    return promise
  }
}

function mayEdit({ row }: PageRevision): boolean {
  return reaches(row.rank, 'editor')
}

function shownBeside({ row, space, latestVersion, verification, linkStates, fileStates }: PageRevision): string {
  return JSON.stringify([
    space.slug,
    space.name,
    space.visibility,
    row.space_proposals,
    row.path,
    row.title,
    row.is_restricted,
    row.updated_by_name,
    row.updated_by_via,
    row.draft?.version,
    latestVersion,
    verification,
    linkStates,
    fileStates,
  ])
}

async function buildView(
  revision: PageRevision,
  { externalImages, isGuest, isVisitor, changeRequest }: DocumentOptions,
): Promise<PageView> {
  const { row, space, version, latestVersion, content } = revision
  const renderedPage = await content.rendered()
  return {
    space,
    path: row.path,
    title: row.title,
    version,
    latestVersion,
    note: isVisitor ? null : row.note,
    updatedAt: row.updated_at,
    updatedBy: isVisitor ? undefined : toEditor(row),
    description: findDescription(renderedPage.frontmatter),
    ...iconMember(ownMember(renderedPage.frontmatter, 'icon')),
    headings: renderedPage.headings,
    isSource: renderedPage.isSource,
    tasks: renderedPage.tasks.length,
    body: await revision.html({ ...linkUrls(revision, changeRequest), externalImages }),
    editable: mayEdit(revision),
    proposes: reaches(row.rank, 'organizer'),
    suggests: mayPropose(row.space_proposals, row.rank),
    ...(changeRequest !== undefined && { preview: { number: changeRequest, isDraft: row.draft !== undefined } }),
    isVisitor,
    verification: revision.verification,
    listsReaders: !isGuest,
    ...(row.is_restricted &&
      !isVisitor && { lock: lock({ space: space.slug, path: row.path, isAdmin: row.rank >= toRank('admin') }) }),
  }
}

/** A link within a space that is read through a change request stays in it. */
function linkUrls(
  revision: PageRevision,
  changeRequest: number | undefined,
): { toUrl?: ToUrl; toUploadUrl?: ToUploadUrl } {
  if (changeRequest === undefined) return mayEdit(revision) ? editorUrls(revision) : {}
  const { slug } = revision.space
  return { toUrl: ({ space, path }) => withQuery(pageUrl(space, path), space === slug ? { changeRequest } : {}) }
}

/**
 * For editors, a link to a missing page of the space opens the form that creates it, and a missing file one that
 * uploads it.
 */
function editorUrls({ space, row }: PageRevision): { toUrl: ToUrl; toUploadUrl: ToUploadUrl } {
  return {
    toUrl: (target, isMissing) =>
      isMissing && target.space === space.slug
        ? newPageUrl(target.space, { path: target.path })
        : pageUrl(target.space, target.path),
    toUploadUrl: (target) =>
      target.space === space.slug ? uploadUrl(space.slug, { page: row.path, path: target.path }) : undefined,
  }
}

function findDescription(frontmatter: Readonly<Record<string, unknown>>): string | undefined {
  const description = ownMember(frontmatter, 'description')
  return typeof description === 'string' && description !== '' ? description.slice(0, MAX_DESCRIPTION) : undefined
}

function ownMember(frontmatter: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(frontmatter, name) ? frontmatter[name] : undefined
}
