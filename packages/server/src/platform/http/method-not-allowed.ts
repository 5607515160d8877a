import { AppError } from '../../../../contract/src/errors.ts'

/** The error for an unsupported method; `allow` lists the supported ones. */
export function methodNotAllowed(method: string, allow: string): AppError {
  const has = allow === '' ? 'no others' : allow
  return new AppError('method_not_allowed', `This URL does not support ${method}: it has ${has}.`, {
    headers: { Allow: allow },
  })
}
