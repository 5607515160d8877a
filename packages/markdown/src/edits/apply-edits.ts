import { AppError, type ErrorCode, inputError } from '@recto/contract/errors.ts'
import { analysePage } from '../analyse.ts'
import { frontMatterEnd } from '../front-matter-block.ts'
import { type BodyChange, followSplices, type Touched, toChanges } from './edit-changes.ts'
import { applySplices, buildSplices, type Edit, isAtHeading, type Outline } from './edits.ts'

export interface EditedBody {
  readonly body: string
  readonly changes: readonly BodyChange[]
}

/** An AppError in a form that can be sent between threads. */
export interface EditProblem {
  readonly problem: { readonly code: ErrorCode; readonly message: string; readonly extras: AppError['extras'] }
}

const MAX_CHANGES = 10_000

/**
 * Applies the edits in order, each to the result of the one before. Sections follow the Markdown parse. Throws
 * `edit_not_applicable`, or `payload_too_large` if a result has more than `maxBytes`.
 */
export function applyEdits(original: string, edits: readonly Edit[], maxBytes: number): EditedBody {
  let body = original
  let touchedParts: readonly Touched[] = []
  for (const [index, edit] of edits.entries()) {
    const splices = buildSplices(body, edit, findOutline(body, edit), index)
    if (touchedParts.length + splices.length > MAX_CHANGES) throw tooMany(index)
    const length = splices.reduce((sum, { remove, insert }) => sum + insert.length - remove, body.length)
    if (length > maxBytes) throw tooLong(index, maxBytes)
    body = applySplices(body, splices)
    touchedParts = followSplices(touchedParts, index, splices)
  }
  return { body, changes: toChanges(body, touchedParts) }
}

/** The same for workers: structured clone would lose the class of an AppError. */
export function tryEdits(...args: Parameters<typeof applyEdits>): EditedBody | EditProblem {
  try {
    return applyEdits(...args)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { code, message, extras } = error
    return { problem: { code, message, extras } }
  }
}

function findOutline(body: string, edit: Edit): Outline {
  const headings = isAtHeading(edit) ? analysePage(body).headings : []
  return { headings, frontMatterEnd: frontMatterEnd(body) }
}

function tooMany(index: number): AppError {
  const message = `changes more than ${MAX_CHANGES} places together with those before it`
  const detail = `Edit ${index + 1} ${message}. Send the edits in several requests. Nothing was changed.`
  return inputError('edit_not_applicable', detail, `/edits/${index}`, message)
}

function tooLong(index: number, maxBytes: number): AppError {
  return new AppError(
    'payload_too_large',
    `Edit ${index + 1} makes a body of more than ${maxBytes} bytes, which is what a page takes at most.`,
  )
}
