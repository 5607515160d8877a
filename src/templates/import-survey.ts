import { setImmediate as breathe } from 'node:timers/promises'
import type { Ctx } from '../access/ctx.ts'
import { AppError, type Issue } from '../errors.ts'
import { checkPage } from './bundle-check.ts'
import type { BundleSource } from './bundle-source.ts'
import { findExisting } from './store-import.ts'

/** What an upload holds, when every page of it could be written. */
export interface Survey {
  readonly pages: number
  /** Whether any page brings revisions with it, and with them names and times. */
  readonly history: boolean
  /** How many of the pages exist in the space already, and the paths of some: in the order of the upload, from an offset on. */
  readonly conflicts: number
  readonly conflictPaths: readonly string[]
}

const MAX_PAGES = 1_000_000
const MAX_ISSUES = 50
/** So many paths of conflicts, or names of files, are in one answer. */
export const MAX_SHOWN = 100
const PATHS_AT_ONCE = 1_000
/** Checking is the processor's work: others get their turn after so many pages. */
const BREATHE_EVERY = 50

/** Goes through the whole upload once: refuses it with `invalid_bundle`, and the places, before anything is written. */
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
  let asked: string[] = []
  const ask = async () => {
    const found = await findExisting(ctx.db, { spaceId, paths: asked, content: false })
    const existing = new Set(found.map(({ path }) => path))
    for (const path of asked) {
      if (!existing.has(path)) continue
      if (conflicts >= conflictsFrom && conflictPaths.length < MAX_SHOWN) conflictPaths.push(path)
      conflicts++
    }
    asked = []
  }
  for await (const raw of source.pages()) {
    const page = checkPage(ctx, raw)
    if ('message' in page) issues.push(page)
    else if (paths.has(page.path)) issues.push({ path: raw.at, message: `\`${page.path}\` stands twice` })
    else {
      paths.add(page.path)
      asked.push(page.path)
      history ||= page.revisions !== undefined
    }
    if (issues.length >= MAX_ISSUES) break
    if (paths.size > MAX_PAGES)
      throw new AppError('payload_too_large', `An import takes at most ${MAX_PAGES} pages.`)
    if (asked.length >= PATHS_AT_ONCE) await ask()
    if (paths.size % BREATHE_EVERY === 0) await breathe()
  }
  if (issues.length > 0) {
    const [first] = issues
    throw new AppError('invalid_bundle', `Nothing was imported: \`${first?.path}\` ${first?.message}.`, {
      issues,
    })
  }
  await ask()
  return { pages: paths.size, history, conflicts, conflictPaths }
}
