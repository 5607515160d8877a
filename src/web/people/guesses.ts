import { createFailureLimiter } from '../../access/limits/failure-limiter.ts'
import { AppError } from '../../errors.ts'

/** Looks up a link for a client address; throws `too_many_requests` after too many invalid ones. */
export type GuessLimiter<T> = (address: string, open: () => Promise<T>) => Promise<T>

export function limitGuesses<T>(): GuessLimiter<T> {
  const guesses = createFailureLimiter()
  return async (address, open) => {
    const end = await guesses.begin(address)
    try {
      const link = await open()
      end(0)
      return link
    } catch (error) {
      end(error instanceof AppError && error.code === 'link_invalid' ? 1 : 0)
      throw error
    }
  }
}
