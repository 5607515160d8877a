import { AppError, type ErrorCode, type Issue, inputError } from '@recto/contract/errors.ts'
import { JsonError } from '@recto/lib/json/json.ts'
import type { FastifyError } from 'fastify'
import { databaseError } from '../../database/availability/failure.ts'
import { type SchemaError, toIssues } from './validation-issues.ts'

const FRAMEWORK_CODES: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['payload_too_large', 'The request body exceeds the limit of this endpoint.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'unsupported_media_type',
    'This endpoint does not accept this content type. Send JSON, as application/json.',
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['invalid_request', 'The body is not as long as Content-Length says.'],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['invalid_json', 'The body is empty: send JSON.'],
  FST_ERR_BAD_URL: ['invalid_path', 'The URL has a percent-encoding that is not UTF-8.'],
  FST_ERR_MAX_PARAM_LENGTH: ['invalid_path', 'The URL is too long.'],
  FST_ERR_ASYNC_CONSTRAINT: ['invalid_request', 'The request cannot be routed.'],
}

/** Converts any thrown value to the error of the response. Unknown errors become `internal_error`. */
export function toAppError(thrownError: unknown): AppError {
  const error = databaseError(thrownError)
  if (error instanceof AppError) return error
  if (error instanceof JsonError) return invalidJson(error)
  if (isFrameworkError(error)) {
    if (error.validation) return invalidRequest(error)
    const knownCode = FRAMEWORK_CODES[error.code]
    if (knownCode) return new AppError(knownCode[0], knownCode[1])
    if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
      return new AppError('invalid_request', error.message)
    }
  }
  return new AppError('internal_error', 'An error occurred in the service. It has been logged.', { cause: thrownError })
}

function invalidJson(error: JsonError): AppError {
  const detail = `${error.message} (line ${error.line}, column ${error.column})`
  return inputError('invalid_json', detail, error.pointer ?? '', error.message)
}

function isFrameworkError(error: unknown): error is FastifyError {
  return error instanceof Error && ('statusCode' in error || 'validation' in error)
}

/** The parts of a request, by Fastify's names. */
const PART_NAMES: Readonly<Record<string, string>> = {
  body: 'body',
  headers: 'header',
  params: 'path of the URL',
  querystring: 'query',
}

/** The messages of the validator, each with the pointer to its place. */
function invalidRequest(error: FastifyError): AppError {
  const within = error.validationContext === 'body' ? '' : (error.validationContext ?? '')
  const issues = toIssues((error.validation ?? []) as readonly SchemaError[]).map(
    ({ path, message }): Issue => ({ path: within === '' ? path : path.replace(/^\//, ''), message }),
  )
  const first = issues[0]
  const where = `The ${PART_NAMES[error.validationContext ?? ''] ?? 'request'}`
  const detail = first ? `${where} is not valid: ${first.path || 'it'} ${first.message}.` : `${where} is not valid.`
  return new AppError('invalid_request', detail, { issues })
}
