import { AppError, type ErrorCode } from '../errors.ts'

/** What the work gives, or its refusal where it has one of these codes: the screen tells that beside what was asked. */
export async function orError<T>(codes: readonly ErrorCode[], work: () => Promise<T>): Promise<T | AppError> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof AppError && codes.includes(error.code)) return error
    throw error
  }
}
