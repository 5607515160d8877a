import { createHash } from 'node:crypto'
import type { PageAddress } from '@recto/contract/page-address.ts'
import { pageMarkdownUrl, pageUrl } from '@recto/contract/page-url.ts'
import { Lru } from '@recto/lib/lru.ts'
import { formatEtag } from '@recto/lib/network/header-values.ts'
import type { Content } from '@recto/markdown/engine/content-cache.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type DraftedPage, type DraftHead, toTag } from '../../../access/overlay.ts'
import { checkReadConditions, isNotModified } from '../../../access/preconditions.ts'
import { omitPeople } from '../../../identity/principals/visitors.ts'
import { MIN_COMPRESSED_BYTES, takesGzip } from '../../../platform/http/compression.ts'
import { formatDigest } from '../../../platform/http/digest.ts'
import { linkHeader, type WebLink } from '../../../platform/http/headers/link-header.ts'
import { chooseType } from '../../../platform/http/negotiate.ts'
import { contentRange, requestedRanges } from '../../../platform/http/ranges.ts'
import { type PageRevision, type ReadPage, readLatestBody, readPage } from '../read.ts'

/** The HTML of a page, ready to be sent. */
export interface PageDocument {
  readonly bytes: Buffer
  /** A digest of the bytes: HTML depends on more than the revision. */
  readonly digest: string
  /** The bytes as gzip. They contain no secrets (BREACH): parts for one person only must not be compressed. */
  zipped(): Promise<Buffer>
}

/** What the HTML of a page depends on besides the revision. */
export interface DocumentOptions {
  readonly externalImages: true | undefined
  /** Guests are not told who else can read it. */
  readonly isGuest: boolean
  /** Callers without an account are not told who wrote it. */
  readonly isVisitor: boolean
  /** The number of the change request through which it is read. */
  readonly changeRequest: number | undefined
}

/** Renders the HTML of pages: the screens do. */
export interface PageDocuments {
  getDocument(revision: PageRevision, options: DocumentOptions): Promise<PageDocument>
}

type PageType = 'text/html' | 'text/markdown' | 'application/json'

/** The negotiated type, HTML without a preference. */
export function pageType(request: FastifyRequest): PageType {
  return chooseType(request, ['text/html', 'text/markdown', 'application/json'])
}

/** Sends the negotiated representation, or 304 if the caller has it already. */
export async function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  documents: PageDocuments,
  input: ReadPage & { readonly markdown: boolean; readonly externalImages?: true | undefined },
): Promise<FastifyReply> {
  const type: PageType = input.markdown ? 'text/markdown' : pageType(request)
  if (type === 'text/markdown' && input.version === undefined) {
    const latest = await readLatestBody(request.ctx, input)
    return sendMarkdown(request, reply, { ...latest, link: formatLink(request, input) })
  }
  const revision = await readPage(request.ctx, { ...input, links: type === 'text/html' })
  const { externalImages } = input
  const { version, content } = revision
  const { updated_at: updatedAt, draft } = revision.row
  const shownPage = { version, draft, updatedAt, link: formatLink(request, input) }
  if (type === 'text/markdown') return sendMarkdown(request, reply, { ...shownPage, content })
  if (type === 'application/json') {
    const isVisitor = request.ctx.actor.visitor !== undefined
    const variant = (isVisitor ? 'json-public' : 'json') + digestVerification(revision)
    const etag = formatEtag(toTag(shownPage), variant)
    if (isKnown(request, reply, { ...shownPage, etag })) return reply.code(304).send()
    const page = await revision.page()
    return reply.type('application/json; charset=utf-8').send(withBody(isVisitor ? omitPeople(page) : page, content))
  }
  const { guest: isGuest, visitor } = request.ctx.actor
  const caller = { isGuest, isVisitor: visitor !== undefined }
  const changeRequest = request.ctx.overlay?.number
  const document = await documents.getDocument(revision, { externalImages, ...caller, changeRequest })
  if (externalImages) reply.documentPolicy = { externalImages }
  return sendDocument(request, reply, { ...shownPage, document })
}

function formatLink({ ctx }: FastifyRequest, input: ReadPage): string {
  return pageLinkHeader(ctx.config.publicUrl, input, input.version)
}

/** What a verification adds to the tag of the page object: it comes, lapses and goes without a new version. */
function digestVerification({ verification }: PageRevision): string {
  if (!verification) return ''
  const digest = createHash('sha256').update(JSON.stringify(verification)).digest('base64url')
  return `-${digest.slice(0, 22)}`
}

/** The page as `pageWithBodySchema` describes it. Of its bytes only those outside the body are made anew. */
function withBody(page: unknown, content: Content): Buffer {
  const others = JSON.stringify(page)
  return Buffer.concat([Buffer.from(`${others.slice(0, -1)},"body":`), content.json(), END])
}

const END = Buffer.from('}')

/** What all representations of a page have. */
interface ShownPage extends DraftedPage<DraftHead> {
  readonly version: number
  readonly updatedAt: Date
  readonly link: string
}

/** Sends the bytes that were written, or one range of them. A request for several ranges gets all of them. */
function sendMarkdown(
  request: FastifyRequest,
  reply: FastifyReply,
  shownPage: ShownPage & { readonly content: Content },
): FastifyReply {
  const etag = formatEtag(toTag(shownPage))
  if (isKnown(request, reply, { ...shownPage, etag })) return reply.code(304).send()
  const { body } = shownPage.content
  const ranges = requestedRanges(request, { size: body.length, etag })
  reply
    .headers({ 'Accept-Ranges': 'bytes', 'Repr-Digest': formatDigest(shownPage.content.digest()) })
    .type('text/markdown; charset=utf-8')
  const [range, ...more] = ranges === 'all' ? [] : ranges
  if (!range || more.length > 0) return reply.send(body)
  return reply
    .code(206)
    .header('Content-Range', contentRange(range, body.length))
    .send(body.subarray(range.start, range.end + 1))
}

/** A compressed document is a representation of its own, with its own ETag (RFC 9110, section 8.8.3.3). */
async function sendDocument(
  request: FastifyRequest,
  reply: FastifyReply,
  shownPage: ShownPage & { readonly document: PageDocument },
): Promise<FastifyReply> {
  const { bytes, digest, zipped } = shownPage.document
  const isZipped = takesGzip(request) && bytes.length >= MIN_COMPRESSED_BYTES
  const etag = formatEtag(toTag(shownPage), isZipped ? `${digest}-gzip` : digest)
  if (isKnown(request, reply, { ...shownPage, etag, inLanguage: true })) return reply.code(304).send()
  reply.type('text/html; charset=utf-8')
  if (!isZipped) return reply.send(bytes)
  return reply.header('Content-Encoding', 'gzip').send(await zipped())
}

/** Sets the headers of every representation; returns whether the caller has this one (RFC 9110, section 13.2.2). */
function isKnown(
  request: FastifyRequest,
  reply: FastifyReply,
  shownPage: ShownPage & { readonly etag: string; readonly inLanguage?: boolean },
): boolean {
  checkReadConditions(shownPage, request.headers)
  reply.headers({
    ETag: shownPage.etag,
    'Last-Modified': shownPage.updatedAt.toUTCString(),
    Vary: shownPage.inLanguage ? 'Accept, Accept-Encoding, Accept-Language' : 'Accept, Accept-Encoding',
    Link: shownPage.link,
    'Cache-Control': 'private, no-cache',
  })
  return isNotModified(shownPage, request.headers)
}

/** Longer URLs occur in one link only: clients accept headers of some 16 kB in all. */
const MAX_URL = 1_000

/** Those of pages that were read, by URL: to encode a path takes longer than to find it here. In characters. */
const headers = new Lru<string, string>({ maxWeight: 500_000, weigh: (header, key) => header.length + key.length })

/** The `Link` header of a page: canonical URL (RFC 6596), representations, and versions (RFC 5829) with `version`. */
function pageLinkHeader(origin: string, { space, path }: PageAddress, version?: number): string {
  if (version !== undefined) return linkHeader(versionLinks(`${origin}${pageUrl(space, path)}`, version))
  const key = `${origin}/${space}/${path}`
  const knownHeader = headers.get(key)
  if (knownHeader !== undefined) return knownHeader
  const header = linkHeader(pageLinks(origin, { space, path }))
  headers.set(key, header)
  return header
}

function pageLinks(origin: string, { space, path }: PageAddress): readonly WebLink[] {
  const url = `${origin}${pageUrl(space, path)}`
  const links: WebLink[] = [{ url, rel: 'canonical' }]
  if (url.length <= MAX_URL) {
    const markdown = `${origin}${pageMarkdownUrl(space, path)}`
    links.push(
      { url, rel: 'alternate', type: 'text/html' },
      { url: markdown, rel: 'alternate', type: 'text/markdown' },
      { url, rel: 'alternate', type: 'application/json' },
    )
  }
  return links
}

function versionLinks(url: string, version: number): readonly WebLink[] {
  const links: WebLink[] = [{ url, rel: 'latest-version' }]
  if (url.length > MAX_URL) return links
  links.push({ url: `${url}/versions`, rel: 'version-history' })
  if (version > 1) links.push({ url: `${url}?version=${version - 1}`, rel: 'predecessor-version' })
  return links
}
