/** Every word that a problem's `code` can be. The words are the contract; titles and details are not. */
export type ErrorCode =
  | 'invalid_request'
  | 'invalid_json'
  | 'invalid_path'
  | 'invalid_slug'
  | 'invalid_cursor'
  | 'invalid_body'
  | 'webhook_url_invalid'
  | 'webhook_url_not_https'
  | 'webhook_url_private'
  | 'template_not_found'
  | 'invalid_variables'
  | 'invalid_bundle'
  | 'invalid_archive'
  | 'import_conflict'
  | 'import_busy'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'expectation_failed'
  | 'not_acceptable'
  | 'slug_taken'
  | 'edit_not_applicable'
  | 'page_moved'
  | 'space_renamed'
  | 'page_deleted'
  | 'page_exists'
  | 'space_not_empty'
  | 'last_admin'
  | 'cross_site'
  | 'csrf_token_invalid'
  | 'idempotency_key_invalid'
  | 'idempotency_key_unsupported'
  | 'idempotency_key_reused'
  | 'idempotency_in_flight'
  | 'idempotency_answer_lost'
  | 'sign_in_failed'
  | 'sign_in_unavailable'
  | 'not_an_array'
  | 'precondition_failed'
  | 'precondition_required'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'too_many_requests'
  | 'request_timeout'
  | 'headers_too_large'
  | 'page_busy'
  | 'markdown_too_complex'
  | 'markdown_busy'
  | 'database_unavailable'
  | 'shutting_down'
  | 'storage_full'
  | 'internal_error'

/** One thing that is wrong with the input, and where: `path` is a JSON Pointer, or a parameter's name. */
export interface Issue {
  readonly path: string
  readonly message: string
}

export interface ErrorExtras {
  readonly issues?: readonly Issue[]
  /** Further members of the problem document, such as `current`. */
  readonly members?: Readonly<Record<string, unknown>>
  /** Response headers, such as `Allow` or `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>
  readonly cause?: unknown
}

/** A refusal that the caller is told about. Anything else that is thrown is a bug. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly extras: ErrorExtras

  constructor(code: ErrorCode, detail: string, extras: ErrorExtras = {}) {
    super(detail, { cause: extras.cause })
    this.name = 'AppError'
    this.code = code
    this.extras = extras
  }
}
