import { setImmediate as breathe } from 'node:timers/promises'
import type { Ctx } from '../access/ctx.ts'
import { AppError, type Issue } from '../errors.ts'
import { checkPage } from './bundle-check.ts'
import type { BundleSource } from './bundle-source.ts'
import { findStanding } from './store-import.ts'

/** What an upload holds, when every page of it could be written. */
export interface Survey {
  readonly pages: number
  /** Whether any page brings revisions with it, and with them names and times. */
  readonly history: boolean
  /** How many of the pages stand in the space already, and the paths of the first. */
  readonly conflicts: number
  readonly conflictPaths: readonly string[]
}

const MAX_PAGES = 1_000_000
const MAX_ISSUES = 50
const MAX_SHOWN = 100
const PATHS_AT_ONCE = 1_000
/** Checking is the processor's work: others get their turn after so many pages. */
const BREATHE_EVERY = 50

/** Goes through the whole upload once: refuses it with `invalid_bundle`, and the places, before anything is written. */
export async function surveyUpload(ctx: Ctx, spaceId: number, source: BundleSource): Promise<Survey> {
  const paths = new Set<string>()
  const issues: Issue[] = []
  const conflictPaths: string[] = []
  let conflicts = 0
  let history = false
  let asked: string[] = []
  const ask = async () => {
    const standing = await findStanding(ctx.db, { spaceId, paths: asked, content: false })
    conflicts += standing.length
    conflictPaths.push(...standing.map(({ path }) => path).slice(0, MAX_SHOWN - conflictPaths.length))
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
