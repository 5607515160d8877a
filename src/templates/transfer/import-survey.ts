import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Ctx } from '../../access/ctx.ts'
import { AppError, type Issue } from '../../errors.ts'
import { listTakenFiles } from '../../files/store-move.ts'
import { parsePagePath } from '../../http/addresses/page-address.ts'
import { checkPage } from '../bundle/bundle-check.ts'
import type { BundleSource, RawFile } from '../bundle/bundle-source.ts'
import { findExisting } from './store-import.ts'

/** The content of a valid upload. */
export interface Survey {
  readonly pages: number
  readonly files: number
  /** Whether any page has revisions, with authors and times. */
  readonly history: boolean
  /** The number of pages that exist already, and a page of their paths in the order of the upload. */
  readonly conflicts: number
  readonly conflictPaths: readonly string[]
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
const PATH_BATCH = 1_000
/** Pages that are checked in one turn of the event loop. */
const PAGES_PER_TURN = 50

/** What a survey has found so far. */
interface Findings {
  readonly issues: Issue[]
  readonly conflicts: ReturnType<typeof startConflicts>
}

/** Validates the complete upload before anything is written; throws `invalid_bundle` with the issues. */
export async function surveyUpload(
  ctx: Ctx,
  spaceId: number,
  source: BundleSource,
  conflictsFrom: number,
): Promise<Survey> {
  const found: Findings = { issues: [], conflicts: startConflicts(conflictsFrom) }
  const pages = await surveyPages(ctx, spaceId, source, found)
  const files = await surveyFiles(ctx, spaceId, source, found)
  if (found.issues.length > 0) throw invalidBundle(found.issues)
  return { ...pages, files, conflicts: found.conflicts.count(), conflictPaths: found.conflicts.paths }
}

async function surveyPages(
  ctx: Ctx,
  spaceId: number,
  source: BundleSource,
  { issues, conflicts }: Findings,
): Promise<Pick<Survey, 'pages' | 'history' | 'frontMatter'>> {
  const paths = new Set<string>()
  const frontMatter = startFrontMatter()
  let history = false
  let unchecked: string[] = []
  const countConflicts = async () => {
    const found = await findExisting.all(ctx.db, { spaceId, paths: unchecked, content: false })
    conflicts.add(unchecked, new Set(found.map(({ path }) => path)))
    unchecked = []
  }
  for await (const raw of source.pages()) {
    const page = checkPage(ctx, raw)
    if ('message' in page) issues.push(page)
    else if (paths.has(page.path)) issues.push({ path: raw.at, message: `\`${page.path}\` is a duplicate` })
    else {
      paths.add(page.path)
      unchecked.push(page.path)
      history ||= page.revisions !== undefined
      frontMatter.add(page.path, raw.frontMatterProblem)
    }
    if (issues.length >= MAX_ISSUES) break
    requireAtMost(MAX_PAGES, paths.size, 'pages')
    if (unchecked.length >= PATH_BATCH) await countConflicts()
    if (paths.size % PAGES_PER_TURN === 0) await nextTurn()
  }
  await countConflicts()
  return { pages: paths.size, history, frontMatter: frontMatter.kept() }
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

/** Counts what exists already; keeps a page of the paths. */
function startConflicts(from: number) {
  const paths: string[] = []
  let count = 0
  return {
    paths: paths as readonly string[],
    count: () => count,
    add(wanted: readonly string[], existing: ReadonlySet<string>): void {
      for (const path of wanted) {
        if (!existing.has(path)) continue
        if (count >= from && paths.length < MAX_LISTED) paths.push(path)
        count++
      }
    },
  }
}

/** Reads every file, so that a damaged or too large one is found before anything is written. Returns how many there are. */
async function surveyFiles(
  ctx: Ctx,
  spaceId: number,
  source: BundleSource,
  found: Findings,
): Promise<number> {
  const paths = new Set<string>()
  for await (const file of source.files()) {
    const path = file.path.normalize('NFC')
    const message = (await problemOf(ctx, file)) ?? (paths.has(path) ? 'is a duplicate' : undefined)
    if (message !== undefined) found.issues.push({ path: file.at, message })
    paths.add(path)
    if (found.issues.length >= MAX_ISSUES) break
    requireAtMost(MAX_PAGES, paths.size, 'files')
  }
  const all = [...paths]
  for (let at = 0; at < all.length; at += PATH_BATCH) {
    const batch = all.slice(at, at + PATH_BATCH)
    const taken = await listTakenFiles(ctx.db, spaceId, batch)
    found.conflicts.add(batch, new Set(taken.map(({ path }) => path)))
  }
  return paths.size
}

async function problemOf({ config }: Ctx, { path, bytes }: RawFile): Promise<string | undefined> {
  let size = 0
  for await (const chunk of bytes) size += chunk.length
  if (size > config.maxFileBytes) return `has ${size} bytes; the maximum is ${config.maxFileBytes}`
  try {
    parsePagePath(path, 'file')
    return undefined
  } catch (error) {
    if (error instanceof AppError) return error.extras.issues?.[0]?.message ?? error.message
    throw error
  }
}
