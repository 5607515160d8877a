import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Ctx } from '../access/ctx.ts'
import { AppError, type Issue } from '../errors.ts'
import { checkPage } from './bundle-check.ts'
import type { BundleSource } from './bundle-source.ts'
import { findExisting } from './store-import.ts'

/** The content of a valid upload. */
export interface Survey {
  readonly pages: number
  /** Whether any page has revisions, with authors and times. */
  readonly history: boolean
  /** The number of pages that exist already, and a page of their paths in the order of the upload. */
  readonly conflicts: number
  readonly conflictPaths: readonly string[]
}

const MAX_PAGES = 1_000_000
const MAX_ISSUES = 50
/** Paths of conflicts, or names of files, in one response. */
export const MAX_LISTED = 100
const PATH_BATCH = 1_000
/** Pages that are checked in one turn of the event loop. */
const PAGES_PER_TURN = 50

/** Validates the complete upload before anything is written; throws `invalid_bundle` with the issues. */
export async function surveyUpload(
  ctx: Ctx,
  spaceId: number,
  source: BundleSource,
  conflictsFrom: number,
): Promise<Survey> {
  const paths = new Set<string>()
  const issues: Issue[] = []
  const conflictPaths: string[] = []
  let conflicts = 0
  let history = false
  let unchecked: string[] = []
  const countConflicts = async () => {
    const found = await findExisting(ctx.db, { spaceId, paths: unchecked, content: false })
    const existing = new Set(found.map(({ path }) => path))
    for (const path of unchecked) {
      if (!existing.has(path)) continue
      if (conflicts >= conflictsFrom && conflictPaths.length < MAX_LISTED) conflictPaths.push(path)
      conflicts++
    }
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
    }
    if (issues.length >= MAX_ISSUES) break
    if (paths.size > MAX_PAGES)
      throw new AppError('payload_too_large', `An import is limited to ${MAX_PAGES} pages.`)
    if (unchecked.length >= PATH_BATCH) await countConflicts()
    if (paths.size % PAGES_PER_TURN === 0) await nextTurn()
  }
  if (issues.length > 0) {
    const [first] = issues
    throw new AppError('invalid_bundle', `Nothing was imported: \`${first?.path}\` ${first?.message}.`, {
      issues,
    })
  }
  await countConflicts()
  return { pages: paths.size, history, conflicts, conflictPaths }
}
