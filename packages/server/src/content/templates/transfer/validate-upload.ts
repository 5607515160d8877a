import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError, type Issue } from '@recto/contract/errors.ts'
import { checkNewPath, parsePagePath } from '@recto/contract/page-address.ts'
import type { Ctx } from '../../../access/ctx.ts'
import { checkFileThreads, checkPage } from '../bundle/bundle-check.ts'
import type { BundleSource, RawFile } from '../bundle/bundle-source.ts'

/** The content of a valid upload: the paths of its pages and files, in its order. */
export interface ValidUpload {
  readonly pages: readonly string[]
  readonly files: readonly string[]
  /** Whether anything has authors and times: revisions, changes of metadata, or comments. */
  readonly history: boolean
  readonly frontMatter: KeptFrontMatter
  /** Why pages and files of an archive that another program made are not imported, by their names. */
  readonly refused: ReadonlyMap<string, string>
}

/** Front matter that stays text: the number of pages, and the first MAX_LISTED with the reason. */
interface KeptFrontMatter {
  readonly count: number
  readonly listed: readonly Issue[]
}

const MAX_PAGES = 1_000_000
const MAX_ISSUES = 50
/** Paths of conflicts, or names of files, in one response. */
export const MAX_LISTED = 100
/** Pages that are checked in one turn of the event loop. */
const PAGES_PER_TURN = 50

/**
 * Validates the complete upload, which may still arrive, before anything is written; throws `invalid_bundle` with the
 * issues. A bundle is imported whole or not at all; of an archive that another program made the rest is imported.
 */
export async function validateUpload(ctx: Ctx, source: BundleSource): Promise<ValidUpload> {
  const issues: Issue[] = []
  const refusedPaths = new Map<string, string>()
  const refuse = (at: string, issue: Issue) => {
    if (source.foreign) refusedPaths.set(at, issue.message)
    else issues.push(issue)
    return issues.length < MAX_ISSUES
  }
  const pages = await validatePages(ctx, source, refuse)
  const { files, hasThreads } = await validateFiles(ctx, source, refuse)
  if (issues.length > 0) throw invalidBundle(issues)
  return { ...pages, history: pages.history || hasThreads, files, refused: refusedPaths }
}

/** Takes what is wrong with a page or file; false: it is enough. */
type Refuse = (at: string, issue: Issue) => boolean

/** An upload without the pages and files that are refused. */
export function withoutRefused(source: BundleSource, refusedPaths: ValidUpload['refused']): BundleSource {
  const onlyAllowed = async function* <T extends { readonly at: string }>(all: AsyncIterable<T>) {
    for await (const each of all) if (!refusedPaths.has(each.at)) yield each
  }
  if (refusedPaths.size === 0) return source
  return { ...source, pages: () => onlyAllowed(source.pages()), files: () => onlyAllowed(source.files()) }
}

async function validatePages(
  ctx: Ctx,
  source: BundleSource,
  refuse: Refuse,
): Promise<Omit<ValidUpload, 'files' | 'refused'>> {
  const paths = new Set<string>()
  const frontMatter = startFrontMatter()
  let history = false
  for await (const raw of source.pages()) {
    const page = raw.problem === undefined ? checkPage(ctx, raw) : { path: raw.at, message: raw.problem }
    if ('message' in page) {
      if (!refuse(raw.at, page)) break
    } else if (paths.has(page.path)) {
      if (!refuse(raw.at, { path: raw.at, message: `\`${page.path}\` is a duplicate` })) break
    } else {
      paths.add(page.path)
      history ||= [page.revisions, page.metadataHistory, page.threads].some((list) => list !== undefined)
      frontMatter.add(page.path, raw.frontMatterProblem)
    }
    requireAtMost(MAX_PAGES, paths.size, 'pages')
    if (paths.size % PAGES_PER_TURN === 0) await nextTurn()
  }
  return { pages: [...paths], history, frontMatter: frontMatter.kept() }
}

function requireAtMost(max: number, count: number, what: string): void {
  if (count > max) throw new AppError('payload_too_large', `An import is limited to ${max} ${what}.`)
}

function invalidBundle(issues: readonly Issue[]): AppError {
  const [first] = issues
  return new AppError('invalid_bundle', `Nothing was imported: \`${first?.path}\` ${first?.message}.`, { issues })
}

function startFrontMatter() {
  const listedIssues: Issue[] = []
  let count = 0
  return {
    add(path: string, message: string | undefined): void {
      if (message === undefined) return
      if (count++ < MAX_LISTED) listedIssues.push({ path, message })
    },
    kept: (): KeptFrontMatter => ({ count, listed: listedIssues }),
  }
}

/** Reads every file, so that a damaged or too large one is found before anything is written. */
async function validateFiles(ctx: Ctx, source: BundleSource, refuse: Refuse) {
  const paths = new Set<string>()
  let hasThreads = false
  for await (const file of source.files()) {
    const path = file.path.normalize('NFC')
    hasThreads ||= file.threads !== undefined
    const message = (await findProblem(ctx, file)) ?? (paths.has(path) ? 'is a duplicate' : undefined)
    if (message === undefined) paths.add(path)
    else if (!refuse(file.at, { path: file.at, message })) break
    requireAtMost(MAX_PAGES, paths.size, 'files')
  }
  return { files: [...paths], hasThreads }
}

async function findProblem({ config }: Ctx, { at, path, bytes, threads }: RawFile): Promise<string | undefined> {
  let size = 0
  for await (const chunk of bytes) size += chunk.length
  if (size > config.maxFileBytes) return `has ${size} bytes; the maximum is ${config.maxFileBytes}`
  try {
    checkNewPath(parsePagePath(path, 'file'), 'file')
    checkFileThreads(threads, at)
    return undefined
  } catch (error) {
    if (error instanceof AppError) return error.extras.issues?.[0]?.message ?? error.message
    throw error
  }
}
