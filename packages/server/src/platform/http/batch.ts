import { type AppError, isFault } from '@recto/contract/errors.ts'
import { type TSchema, Type } from 'typebox'
import { toAppError } from './problems/framework-error.ts'
import { type ProblemDocument, toProblem } from './problems/problem.ts'
import { anyObject } from './schemas.ts'

/** An item of a batch that failed: the problem that a request for it alone would get. */
export interface FailedItem {
  readonly status: number
  readonly error: ProblemDocument
}

/** Runs one item of a batch. An error is its own, unless it is a fault of the service. */
export async function runItem<T>(
  { requestId, origin }: { readonly requestId: string; readonly origin: string },
  work: () => Promise<T>,
): Promise<T | FailedItem> {
  try {
    return await work()
  } catch (thrownError) {
    const error = toAppError(thrownError)
    if (isFault(error)) throw thrownError
    return failedItem(error, requestId, origin)
  }
}

export function failedItem(error: AppError, requestId: string, origin: string): FailedItem {
  const problem = toProblem(error, requestId, origin)
  return { status: problem.status, error: problem }
}

/** The members of every item of a response, with those of a successful one. */
export function itemSchema<Members extends Readonly<Record<string, TSchema>>>(members: Members) {
  return Type.Object({
    space: Type.String({ description: 'As requested.' }),
    path: Type.String({ description: 'As requested.' }),
    status: Type.Integer({ description: 'The status of a request for this item alone.' }),
    ...members,
    error: Type.Optional(anyObject('A problem document, if the item failed.')),
  })
}
