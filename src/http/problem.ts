import type { AppError, ErrorCode, Issue } from '../errors.ts'

/** RFC 9457. `code` is the contract; `title` and `detail` are for people. */
export interface ProblemDocument {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: ErrorCode
  readonly requestId: string
  readonly issues?: readonly Issue[]
  readonly [extra: string]: unknown
}

interface Meaning {
  readonly status: number
  readonly title: string
  /** What `/problems/<code>` tells: what went wrong, and what to do. */
  readonly explanation: string
}

/** Every code with its status and meaning: a code without an entry does not compile. */
export const PROBLEMS: Readonly<Record<ErrorCode, Meaning>> = {
  invalid_request: {
    status: 400,
    title: 'The request is not valid',
    explanation:
      'A parameter, header or member of the body is missing, unknown or out of range. `issues` names each place.',
  },
  invalid_json: {
    status: 400,
    title: 'The body is not valid JSON',
    explanation:
      'The body is not JSON by RFC 8259, names a key twice in one object, nests too deeply, or holds a lone surrogate.',
  },
  invalid_path: {
    status: 400,
    title: 'The page path is not valid',
    explanation:
      'A page path has 1 to 32 segments of 1 to 255 bytes, 1,024 bytes in all, and no `.`, `..`, control characters, backslashes, or white space at the ends of a segment.',
  },
  invalid_slug: {
    status: 400,
    title: 'The space slug is not valid',
    explanation:
      'A slug has lower-case letters and digits, with single hyphens between them, and at most 64 characters.',
  },
  invalid_cursor: {
    status: 400,
    title: 'The cursor is not valid',
    explanation:
      'A cursor belongs to the list and the filters that gave it. Start the list again without a cursor.',
  },
  invalid_body: {
    status: 400,
    title: 'The page body is not valid',
    explanation: 'A page body is UTF-8 text without NUL characters.',
  },
  webhook_url_invalid: {
    status: 400,
    title: 'The URL of the webhook is not valid',
    explanation:
      'A webhook needs an absolute URL with https, at most 2,048 characters, without a user name or password and not with port 0.',
  },
  webhook_url_not_https: {
    status: 400,
    title: 'The URL of the webhook is not https',
    explanation: 'Plain http is refused unless the deployment sets `SVC_WEBHOOKS_ALLOW_HTTP=1`.',
  },
  webhook_url_private: {
    status: 400,
    title: 'The URL of the webhook is not in the public internet',
    explanation:
      'Private, loopback, link-local, shared and reserved addresses are refused unless the deployment sets `SVC_WEBHOOKS_ALLOW_PRIVATE_URLS=1`.',
  },
  template_not_found: {
    status: 404,
    title: 'No such page template',
    explanation:
      '`template` names a page below `templates/` of the same space, or `space/name`. `GET /templates` lists those that you can see.',
  },
  invalid_variables: {
    status: 400,
    title: 'The variables do not fit the template',
    explanation:
      'Every variable of the template needs a value, except `title`, `date` and `author`, which have one; and no others may be given. `issues` names each.',
  },
  invalid_bundle: {
    status: 400,
    title: 'The upload is no bundle that can be imported',
    explanation:
      'A bundle is `{ format: "page-bundle", formatVersion: 1, space, pages: [{ path, body, metadata?, revisions? }] }`, or an archive of Markdown files. `issues` names the places that are wrong. Nothing was imported.',
  },
  invalid_archive: {
    status: 400,
    title: 'The archive is refused',
    explanation:
      'The ZIP archive is damaged, or holds what no import takes: names that lead out of it or stand twice, links, encrypted files, files that overlap, or far more bytes than it has itself. Nothing was imported.',
  },
  import_conflict: {
    status: 409,
    title: 'Pages of the upload stand in the space already',
    explanation:
      '`conflicts` names the first of them. Import with `onConflict=skip` to leave them, or with `onConflict=overwrite` to give them a new revision.',
  },
  import_busy: {
    status: 503,
    title: 'Other imports are running',
    explanation: 'A node runs a few imports at a time. Try again after `Retry-After` seconds.',
  },
  unauthorized: {
    status: 401,
    title: 'A valid API key is needed',
    explanation:
      'Send the header `Authorization: Bearer <key>` with a key that is neither mistyped, revoked nor expired.',
  },
  forbidden: {
    status: 403,
    title: 'You may not do this',
    explanation:
      'You see the thing, but your role or the scope of your key does not allow this. A space admin can give roles.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    explanation: 'Nothing stands at this address, or you may not see it. The two cannot be told apart.',
  },
  method_not_allowed: {
    status: 405,
    title: 'The method is not allowed here',
    explanation: 'The address exists, but not with this method. The header `Allow` lists those that it has.',
  },
  expectation_failed: {
    status: 417,
    title: 'Expectation not supported',
    explanation:
      'The only expectation that is supported is `Expect: 100-continue`. Send the request without the header.',
  },
  not_acceptable: {
    status: 406,
    title: 'No such representation',
    explanation:
      'A page can be had as `text/html`, `text/markdown` and `application/json`; other resources as `application/json`.',
  },
  slug_taken: {
    status: 409,
    title: 'The slug is taken',
    explanation: 'Another space has this slug, or it is reserved. Choose another one.',
  },
  page_moved: {
    status: 308,
    title: 'The page has moved',
    explanation:
      'The page stands at another address now, which `Location` and `movedTo` name. Links to the old one still lead to it.',
  },
  space_renamed: {
    status: 308,
    title: 'The space has another slug',
    explanation:
      'The space has the slug that `slug` names now, and `Location` leads there. The old one leads on until another space takes it.',
  },
  page_deleted: {
    status: 410,
    title: 'The page is in the trash',
    explanation:
      'The page was deleted. An editor of the space can bring it back with `POST .../restore`, until it is removed for good; `PUT` makes a new page here.',
  },
  page_exists: {
    status: 409,
    title: 'A page stands there',
    explanation:
      'A page is moved or restored only to an address where no other page stands. Nothing was changed.',
  },
  space_not_empty: {
    status: 409,
    title: 'The space is not empty',
    explanation:
      'A space with pages is only deleted with `?force=true`, by an organisation admin. Pages in the trash count.',
  },
  last_admin: {
    status: 409,
    title: 'Nobody could administer the organisation any more',
    explanation:
      'This would disable, demote or cut off the last organisation admin. Give the role, with a key, to someone else first.',
  },
  cross_site: {
    status: 403,
    title: 'The request came from another site',
    explanation:
      'A browser that is signed in may change things only from the pages of this service. Programs send an API key instead of a cookie.',
  },
  csrf_token_invalid: {
    status: 403,
    title: 'The token of the browser session is missing',
    explanation:
      'What changes something by cookie carries the token of its session: as the header `X-CSRF-Token`, or as the field `csrf` of a form. The cookie `recto_csrf` (`__Host-recto_csrf` behind https) holds it for scripts. Load the page again after signing in anew. Programs send an API key instead.',
  },
  idempotency_key_invalid: {
    status: 400,
    title: 'The Idempotency-Key is not valid',
    explanation:
      'An `Idempotency-Key` is one string of 1 to 255 visible ASCII characters, in double quotes or without. A random UUID is a good one.',
  },
  idempotency_key_unsupported: {
    status: 400,
    title: 'No Idempotency-Key here',
    explanation:
      'Addresses that answer with a secret, take streams or speak another protocol take no `Idempotency-Key`, so that nobody relies on it. Send the request without.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'The Idempotency-Key is of another request',
    explanation:
      'The same key came with another body before. A request that is sent again is sent as it was; a new request has a new key.',
  },
  idempotency_in_flight: {
    status: 409,
    title: 'The request is under way',
    explanation:
      'A request with this `Idempotency-Key` is being worked on. Send it again after `Retry-After` seconds, for its answer.',
  },
  idempotency_answer_lost: {
    status: 409,
    title: 'The request was carried out, but its answer is not there',
    explanation:
      'The change was made and will not be made again, but the process ended before the answer was kept, or the answer was too large to keep. Read what you wanted to change.',
  },
  sign_in_failed: {
    status: 403,
    title: 'You could not be signed in',
    explanation:
      'The identity provider refused, the attempt was too old, or your account there gives no role here. Start again from `/sign-in`.',
  },
  sign_in_unavailable: {
    status: 503,
    title: 'The identity provider does not answer',
    explanation: 'Signing in by OpenID Connect is not possible at the moment. An API key works still.',
  },
  not_an_array: {
    status: 400,
    title: 'The value is not an array',
    explanation:
      '`append` and `appendUnique` extend an array, or start one where the key is absent. Nothing was changed.',
  },
  edit_not_applicable: {
    status: 409,
    title: 'An edit does not fit the page',
    explanation:
      'The text or the heading that an edit names does not stand in the page, or not as often as expected. Nothing was changed: read the page and name it exactly.',
  },
  precondition_failed: {
    status: 412,
    title: 'The page is not in the state that you named',
    explanation:
      'Someone else wrote the page since you read it, or it does not exist. `current` tells its state: read it, apply your change again, and send its ETag.',
  },
  precondition_required: {
    status: 428,
    title: 'If-Match is needed',
    explanation:
      'Changing a page needs the header `If-Match` with the ETag that you read, so that no change of others is lost.',
  },
  payload_too_large: {
    status: 413,
    title: 'The body is too large',
    explanation:
      'A page body has at most 1 MiB, a metadata value 64 KiB (a deployment may set other limits), and a page 200 keys.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The content type is not supported',
    explanation:
      'A page is written as `text/markdown`, `text/plain` or `application/json`, in UTF-8, without a content encoding.',
  },
  too_many_requests: {
    status: 429,
    title: 'Too many requests',
    explanation: 'Wait for the seconds that `Retry-After` names.',
  },
  request_timeout: {
    status: 408,
    title: 'The request came too slowly',
    explanation: 'The request was not complete in time. Send it again.',
  },
  headers_too_large: {
    status: 431,
    title: 'The header fields are too large',
    explanation: 'The address and the headers of a request have at most 16 KiB together.',
  },
  page_busy: {
    status: 503,
    title: 'Too many writers wait for this page',
    explanation:
      'So many writers of this page queue already that yours was not added. Try again after `Retry-After` seconds.',
  },
  markdown_too_complex: {
    status: 422,
    title: 'The Markdown is too complex',
    explanation:
      'Parsing the body took more processor time than a page may take (`SVC_MARKDOWN_CPU_MS`): it nests or repeats Markdown in a way that hardly any text does. Simplify it, or split it into several pages.',
  },
  markdown_busy: {
    status: 503,
    title: 'Too many large pages are being read at once',
    explanation:
      'So many large pages wait to be parsed that yours was not added. Retry after `Retry-After` seconds.',
  },
  database_unavailable: {
    status: 503,
    title: 'The database does not answer',
    explanation:
      'Try again after `Retry-After` seconds. Of a write that was under way it may not be known whether it was made: its `If-Match` keeps it from being made twice.',
  },
  shutting_down: {
    status: 503,
    title: 'The service is shutting down',
    explanation:
      'Only `/readyz` answers with this, so that load balancers send new requests elsewhere. Requests that still arrive are served.',
  },
  storage_full: {
    status: 507,
    title: 'The storage is full',
    explanation: 'Nothing was written. Reads go on; writes do again once there is space.',
  },
  internal_error: {
    status: 500,
    title: 'Something went wrong here',
    explanation: 'This is a fault of the service. Its log holds the cause under the request id.',
  },
}

/** The status of a code. */
export function statusOf(code: ErrorCode): number {
  return PROBLEMS[code].status
}

/** The problem document of a refusal. */
export function problemOf(error: AppError, requestId: string, origin: string): ProblemDocument {
  const { status, title } = PROBLEMS[error.code]
  const { issues, members } = error.extras
  return {
    type: `${origin}/problems/${error.code}`,
    title,
    status,
    detail: error.message,
    code: error.code,
    requestId,
    ...(issues && { issues }),
    ...members,
  }
}
