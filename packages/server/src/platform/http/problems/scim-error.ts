import type { AppError, ErrorCode } from '@recto/contract/errors.ts'
import { toStatus } from './problem.ts'

/** The media type of SCIM (RFC 7644, 8.1). */
export const SCIM_JSON = 'application/scim+json'

/** The error keywords of RFC 7644, table 9, that are used here. */
export type ScimType =
  | 'invalidFilter'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue'

const SCIM_TYPES: Partial<Record<ErrorCode, ScimType>> = {
  email_taken: 'uniqueness',
  user_name_taken: 'uniqueness',
  group_name_taken: 'uniqueness',
  invalid_json: 'invalidSyntax',
  invalid_request: 'invalidValue',
}

/** Whether errors of this URL have the form of SCIM. */
export function isScimUrl(url: string): boolean {
  return /^\/scim\/v2(?:[/?]|$)/.test(url)
}

/** The body of an error (RFC 7644, 3.12). */
export function toScimError(error: AppError): object {
  const { members, issues = [] } = error.extras
  const scimType = members?.scimType ?? SCIM_TYPES[error.code]
  // The message names the first one.
  const further = issues.slice(1).map(({ path, message }) => ` ${path} ${message}.`)
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(toStatus(error.code)),
    ...(scimType !== undefined && { scimType }),
    detail: error.message + further.join(''),
  }
}
