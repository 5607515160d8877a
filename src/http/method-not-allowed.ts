import { AppError } from '../errors.ts'

/** The error for a method that a URL does not have; `allow` lists those that it has. */
export function methodNotAllowed(method: string, allow: string): AppError {
  const has = allow === '' ? 'no others' : allow
  return new AppError('method_not_allowed', `This URL does not support ${method}: it has ${has}.`, {
    headers: { Allow: allow },
  })
}
