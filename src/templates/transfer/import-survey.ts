import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Ctx } from '../../access/ctx.ts'
import { AppError, type Issue } from '../../errors.ts'
import { listTakenFiles } from '../../files/store-move.ts'
import { parsePagePath } from '../../http/addresses/page-address.ts'
import { checkPage } from '../bundle/bundle-check.ts'
import type { BundleSource, RawFile } from '../bundle/bundle-source.ts'
import { findExisting } from './store-import.ts'

/** The content of a valid upload: the paths of its pages and files, in its order. */
export interface Survey {
  readonly pages: readonly string[]
  readonly files: readonly string[]
  /** Whether any page has revisions, with authors and times. */
  readonly history: boolean
  readonly frontMatter: KeptFrontMatter
}

/** The number of pages and files that exist already, and MAX_LISTED of their paths in the order of the upload. */
export interface Conflicts {
  readonly count: number
  readonly paths: readonly string[]
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

/** Validates the complete upload, which may still arrive, before anything is written; throws `invalid_bundle` with the issues. */
export async function surveyUpload(ctx: Ctx, source: BundleSource): Promise<Survey> {
  const issues: Issue[] = []
  const pages = await surveyPages(ctx, source, issues)
  const files = await surveyFiles(ctx, source, issues)
  if (issues.length > 0) throw invalidBundle(issues)
  return { ...pages, files }
}

/** What exists already in the space; the first listed path is the one at this index. */
export async function findConflicts(
  { db }: Ctx,
  spaceId: number,
  { pages, files }: Survey,
  from: number,
): Promise<Conflicts> {
  let count = 0
  const listed: string[] = []
  const add = async (all: readonly string[], find: (paths: readonly string[]) => Promise<Found>) => {
    for (let at = 0; at < all.length; at += PATH_BATCH) {
      const batch = all.slice(at, at + PATH_BATCH)
      const existing = new Set((await find(batch)).map(({ path }) => path))
      for (const path of batch) {
        if (!existing.has(path)) continue
        if (count >= from && listed.length < MAX_LISTED) listed.push(path)
        count++
      }
    }
  }
  await add(pages, (paths) => findExisting.all(db, { spaceId, paths, content: false }))
  await add(files, (paths) => listTakenFiles(db, spaceId, paths))
  return { count, paths: listed }
}

type Found = readonly { readonly path: string }[]

async function surveyPages(ctx: Ctx, source: BundleSource, issues: Issue[]): Promise<Omit<Survey, 'files'>> {
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
async function surveyFiles(ctx: Ctx, source: BundleSource, issues: Issue[]): Promise<readonly string[]> {
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
    parsePagePath(path, 'file')
    return undefined
  } catch (error) {
    if (error instanceof AppError) return error.extras.issues?.[0]?.message ?? error.message
    throw error
  }
}
