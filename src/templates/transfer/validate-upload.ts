import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Ctx } from '../../access/ctx.ts'
import { AppError, type Issue } from '../../errors.ts'
import { checkNewPath, parsePagePath } from '../../http/addresses/page-address.ts'
import { checkPage } from '../bundle/bundle-check.ts'
import type { BundleSource, RawFile } from '../bundle/bundle-source.ts'

/** The content of a valid upload: the paths of its pages and files, in its order. */
export interface ValidUpload {
  readonly pages: readonly string[]
  readonly files: readonly string[]
  /** Whether any page has revisions, with authors and times. */
  readonly history: boolean
  readonly frontMatter: KeptFrontMatter
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

/** Validates the complete upload, which may still arrive, before anything is written; throws `invalid_bundle` with the issues. */
export async function validateUpload(ctx: Ctx, source: BundleSource): Promise<ValidUpload> {
  const issues: Issue[] = []
  const pages = await validatePages(ctx, source, issues)
  const files = await validateFiles(ctx, source, issues)
  if (issues.length > 0) throw invalidBundle(issues)
  return { ...pages, files }
}

async function validatePages(
  ctx: Ctx,
  source: BundleSource,
  issues: Issue[],
): Promise<Omit<ValidUpload, 'files'>> {
  const paths = new Set<string>()
  const frontMatter = startFrontMatter()
  let history = false
  for await (const raw of source.pages()) {
    const page = checkPage(ctx, raw)
    if ('message' in page) issues.push(page)
    else if (paths.has(page.path)) issues.push({ path: raw.at, message: `\`${page.path}\` is a duplicate` })
    else {
      paths.add(page.path)
      history ||= page.revisions !== undefined
      frontMatter.add(page.path, raw.frontMatterProblem)
    }
    if (issues.length >= MAX_ISSUES) break
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
  return new AppError('invalid_bundle', `Nothing was imported: \`${first?.path}\` ${first?.message}.`, {
    issues,
  })
}

function startFrontMatter() {
  const listed: Issue[] = []
  let count = 0
  return {
    add(path: string, message: string | undefined): void {
      if (message === undefined) return
      if (count++ < MAX_LISTED) listed.push({ path, message })
    },
    kept: (): KeptFrontMatter => ({ count, listed }),
  }
}

/** Reads every file, so that a damaged or too large one is found before anything is written. */
async function validateFiles(ctx: Ctx, source: BundleSource, issues: Issue[]): Promise<readonly string[]> {
  const paths = new Set<string>()
  for await (const file of source.files()) {
    const path = file.path.normalize('NFC')
    const message = (await problemOf(ctx, file)) ?? (paths.has(path) ? 'is a duplicate' : undefined)
    if (message !== undefined) issues.push({ path: file.at, message })
    paths.add(path)
    if (issues.length >= MAX_ISSUES) break
    requireAtMost(MAX_PAGES, paths.size, 'files')
  }
  return [...paths]
}

async function problemOf({ config }: Ctx, { path, bytes }: RawFile): Promise<string | undefined> {
  let size = 0
  for await (const chunk of bytes) size += chunk.length
  if (size > config.maxFileBytes) return `has ${size} bytes; the maximum is ${config.maxFileBytes}`
  try {
    checkNewPath(parsePagePath(path, 'file'), 'file')
    return undefined
  } catch (error) {
    if (error instanceof AppError) return error.extras.issues?.[0]?.message ?? error.message
    throw error
  }
}
