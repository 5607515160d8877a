import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { isSlug } from '@recto/contract/page-address.ts'
import { packBody } from '@recto/lib/encoding/body-codec.ts'
import { decodeUtf8, parseJson } from '@recto/lib/json/json.ts'
import { splitJsonBuffer } from '@recto/lib/json/json-split.ts'
import { DEFAULT_LANGUAGE, parseLanguage } from '@recto/lib/languages.ts'
import { parseEmoji } from '@recto/lib/text/emoji.ts'
import { cleanLine } from '@recto/lib/text/single-line.ts'
import type { Runtime } from '../../../access/ctx.ts'
import { autocommit } from '../../../platform/database/database.ts'
import { inTransaction } from '../../../platform/database/transaction.ts'
import { validatorCompiler } from '../../../platform/http/validation.ts'
import { type Fetching, fetchFiltered } from '../../../platform/outbound/filtered-fetch.ts'
import { type CheckedPage, checkPage } from '../bundle/bundle-check.ts'
import { MAX_PAGE_BYTES } from '../bundle/bundle-source.ts'
import { type CatalogueEntry, catalogueEntrySchema, catalogueSchema } from '../schema.ts'
import { MAX_TEMPLATE_BYTES, MAX_TEMPLATE_PAGES } from '../space-template.ts'
import { putStored, type TemplatePageRow } from '../store-space-templates.ts'
import { deleteOthers, listDigests, recordFetch } from './store-catalogue.ts'

const MAX_CATALOGUE_BYTES = 1024 * 1024
const MAX_ENTRIES = 200
/** Limits of one refresh. */
const MAX_TOTAL_BYTES = 256 * 1024 * 1024
const MAX_TOTAL_MS = 5 * 60_000
const MAX_ONE_MS = 60_000
/** JSON escapes may double the size. */
const MAX_BUNDLE_BYTES = 2 * MAX_TEMPLATE_BYTES

type RefreshDeps = Pick<Runtime, 'db' | 'config' | 'now'>

const compile = (schema: object) => validatorCompiler({ schema, method: 'GET', url: '', httpPart: 'body' })
const isCatalogue = compile(catalogueSchema)
const isEntry = compile(catalogueEntrySchema)

/**
 * Fetches the catalogue and its bundles. An entry with an error keeps its last valid copy; templates that are not in
 * the catalogue any more are deleted. An unreadable catalogue throws, and changes nothing.
 */
export async function refreshCatalogue(ctx: RefreshDeps, fetching: Fetching, url: string, stop: AbortSignal) {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(MAX_TOTAL_MS)])
  const now = ctx.now()
  const problems: { readonly id: string; readonly message: string }[] = []
  try {
    const catalogue = { url, entries: await readCatalogue(fetching, url, signal) }
    const { stored, unchanged, listed } = await refreshEntries(ctx, fetching, catalogue, {
      signal,
      onProblem(problem) {
        if (stop.aborted) throw problem.error
        problems.push({ id: problem.id, message: problem.error.message })
      },
    })
    const removedIds = await inTransaction(ctx, async (tx) => deleteOthers(tx, [...listed]))
    await recordFetch(autocommit(ctx.db), { url, now, succeeded: true, problems })
    return { stored, unchanged, removed: removedIds, problems }
  } catch (error) {
    if (stop.aborted) throw error
    problems.push({ id: '', message: (error as Error).message })
    await recordFetch(autocommit(ctx.db), { url, now, succeeded: false, problems })
    throw error
  }
}

/** Fetches and stores the entries one after the other; those with an error are reported to `onProblem`. */
async function refreshEntries(
  ctx: RefreshDeps,
  fetching: Fetching,
  { url, entries }: { readonly url: string; readonly entries: readonly unknown[] },
  { signal, onProblem }: { signal: AbortSignal; onProblem(problem: { id: string; error: Error }): void },
) {
  const storedIds: string[] = []
  const unchangedIds: string[] = []
  const listedIds = new Set<string>()
  const knownDigests = await listDigests(ctx.db)
  let maxBytes = MAX_TOTAL_BYTES
  for (const [index, raw] of entries.entries()) {
    const id = parseName(raw, index)
    try {
      const entry = checkEntry(raw)
      if (listedIds.has(entry.id)) throw new Error('the id is a duplicate')
      listedIds.add(entry.id)
      const limits = { maxBytes: Math.min(MAX_BUNDLE_BYTES, maxBytes), timeoutMs: MAX_ONE_MS, signal }
      const { body } = await fetchFiltered(fetching, new URL(entry.url, url).href, limits)
      maxBytes -= body.length
      const isNew = await storeIfNew(ctx, entry, body, knownDigests.get(entry.id))
      ;(isNew ? storedIds : unchangedIds).push(entry.id)
    } catch (error) {
      onProblem({ id, error: error as Error })
      listedIds.add(id)
    }
  }
  return { stored: storedIds, unchanged: unchangedIds, listed: listedIds }
}

async function readCatalogue(fetching: Fetching, url: string, signal: AbortSignal): Promise<readonly unknown[]> {
  const limits = { maxBytes: MAX_CATALOGUE_BYTES, timeoutMs: MAX_ONE_MS, signal }
  const { body } = await fetchFiltered(fetching, url, limits)
  const value = parseUtf8Json(body)
  if (!isCatalogue(value)) throw new Error(`the catalogue is not valid: ${validationMessage(isCatalogue.errors)}`)
  const { templates } = value as { readonly templates: readonly unknown[] } // it was validated
  if (templates.length > MAX_ENTRIES) throw new Error(`the catalogue has more than ${MAX_ENTRIES} templates`)
  return templates
}

function checkEntry(raw: unknown): CatalogueEntry {
  if (!isEntry(raw)) throw new Error(`the entry is not valid: ${validationMessage(isEntry.errors)}`)
  return raw as CatalogueEntry // it was validated
}

/** Whether the entry differs from the stored one, whose digest is `knownDigests`. */
async function storeIfNew(
  ctx: RefreshDeps,
  entry: CatalogueEntry,
  bytes: Buffer,
  knownDigests: Buffer | undefined,
): Promise<boolean> {
  const digest = computeDigest(entry, bytes)
  if (knownDigests?.equals(digest)) return false
  const { pages, space } = await readBundle(ctx, bytes)
  const { id, title, description, category } = entry
  const row = {
    source: 'remote',
    id,
    title: cleanLine(title),
    description: cleanLine(description),
    category: cleanLine(category),
    space_slug: space.slug !== undefined && isSlug(space.slug) ? space.slug : null,
    space_name: cleanLine(space.name ?? title),
    space_description: cleanLine(space.description ?? description),
    space_language: parseLanguage(space.language) ?? DEFAULT_LANGUAGE,
    space_icon: parseEmoji(space.icon) ?? null,
    digest,
    updated_at: ctx.now(),
    updated_by: null,
  } as const
  await inTransaction(ctx, (tx) => putStored(tx, row, pages))
  return true
}

interface ReadBundle {
  readonly space: {
    readonly slug?: string
    readonly name?: string
    readonly description?: string
    readonly language?: unknown
    readonly icon?: unknown
  }
  readonly pages: readonly TemplatePageRow[]
}

/** Validates like an import, without revisions. */
async function readBundle(ctx: RefreshDeps, bytes: Buffer): Promise<ReadBundle> {
  const limits = { members: ['pages'], maxElementBytes: MAX_PAGE_BYTES, maxMemberBytes: 64 * 1024 }
  const head = new Map<string, unknown>()
  const pages = new Map<string, TemplatePageRow>()
  let size = 0
  for (const part of splitJsonBuffer(bytes, limits)) {
    const value = parseUtf8Json(part.bytes)
    if (!part.element) {
      head.set(part.name, value)
      continue
    }
    const page = checkPage(ctx, { at: `/pages/${pages.size}`, value })
    if ('message' in page) throw new Error(`${page.path} ${page.message}`)
    if (pages.has(page.path)) throw new Error(`the path ${page.path} is a duplicate`)
    size += Buffer.byteLength(page.body)
    checkSize(size, pages.size + 1)
    pages.set(page.path, await toRow(page))
    if (pages.size % 50 === 0) await nextTurn()
  }
  if (head.get('format') !== 'page-bundle' || head.get('formatVersion') !== 1) {
    throw new Error('the format of the bundle is not supported')
  }
  return { space: (head.get('space') ?? {}) as ReadBundle['space'], pages: [...pages.values()] }
}

function checkSize(bytes: number, pages: number): void {
  if (bytes > MAX_TEMPLATE_BYTES) throw new Error(`the template has more than ${MAX_TEMPLATE_BYTES} bytes`)
  if (pages > MAX_TEMPLATE_PAGES) throw new Error(`the template has more than ${MAX_TEMPLATE_PAGES} pages`)
}

async function toRow({ path, body, metadata }: CheckedPage): Promise<TemplatePageRow> {
  const values = metadata?.map(({ key, operand }) => [key, operand] as const) ?? []
  return {
    path,
    body: await packBody(Buffer.from(body)),
    metadata: values.length === 0 ? null : JSON.stringify(Object.fromEntries(values)),
  }
}

function computeDigest(entry: CatalogueEntry, bytes: Buffer): Buffer {
  const { title, description, category } = entry
  return createHash('sha256')
    .update(JSON.stringify([title, description, category]))
    .update(bytes)
    .digest()
}

function parseName(raw: unknown, index: number): string {
  const id = typeof raw === 'object' && raw !== null && 'id' in raw ? raw.id : undefined
  return typeof id === 'string' ? id.slice(0, 100) : `#${index}`
}

function parseUtf8Json(bytes: Buffer): unknown {
  const text = decodeUtf8(bytes)
  if (text === undefined) throw new Error('the response is not UTF-8')
  return parseJson(text)
}

function validationMessage(errors: readonly { instancePath?: string; message?: string }[] | null | undefined): string {
  const [first] = errors ?? []
  return `${first?.instancePath ?? ''} ${first?.message ?? ''}`.trim()
}
