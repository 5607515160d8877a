import { CHANGE_REQUEST_ERRORS } from './change-request-errors.ts'
import { COMMENT_ERRORS } from './comment-errors.ts'
import type { ErrorDefinition } from './error-definition.ts'
import { FILE_ERRORS } from './file-errors.ts'
import { STORAGE_ERRORS } from './storage-errors.ts'
import { TRANSFER_ERRORS } from './transfer-errors.ts'

/**
 * The error codes. A new code is one entry here: the type `ErrorCode`, the problem documents, `/problems/<code>`, the
 * OpenAPI document, the advice of MCP, of the command line and of the error page, and the table in docs/api.md (`npm
 * run errors:docs`) are made from it.
 */
export const ERRORS = {
  ...FILE_ERRORS,
  ...CHANGE_REQUEST_ERRORS,
  ...COMMENT_ERRORS,
  invalid_request: {
    status: 400,
    title: 'The request is not valid',
    explanation:
      'A parameter, header or member of the body is missing, unknown or out of range. `issues` lists each one.',
  },
  invalid_json: {
    status: 400,
    title: 'The body is not valid JSON',
    explanation:
      'The body is not JSON by RFC 8259, names a key twice in one object, nests too deeply, or holds a lone surrogate.',
  },
  invalid_path: {
    status: 400,
    title: 'The path is not valid',
    explanation:
      'The path of a page or file has 1 to 32 segments of 1 to 255 bytes, 1,024 bytes in all, and no `.`, `..`, ' +
      'control characters, backslashes, or white space at the ends of a segment.',
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
      'A cursor is valid only for the list and filters that returned it. Start the list again without a cursor.',
    agentAdvice: 'Call again with the same arguments and without `cursor`.',
  },
  invalid_body: {
    status: 400,
    title: 'The page body is not valid',
    explanation: 'A page body is UTF-8 text without NUL characters.',
  },
  webhook_url_invalid: {
    status: 400,
    title: 'The webhook URL is not valid',
    explanation:
      'A webhook needs an absolute URL with https, at most 2,048 characters, ' +
      'without a user name or password and not with port 0.',
  },
  webhook_url_not_https: {
    status: 400,
    title: 'The webhook URL must use https',
    explanation: 'Use an https URL. Plain http is rejected unless the deployment sets `SVC_WEBHOOKS_ALLOW_HTTP=1`.',
  },
  webhook_url_private: {
    status: 400,
    title: 'The webhook URL is not public',
    explanation:
      'Private, loopback, link-local, shared and reserved addresses are rejected unless the deployment sets ' +
      '`SVC_WEBHOOKS_ALLOW_PRIVATE_URLS=1`.',
  },
  webhook_secret_lost: {
    status: 409,
    title: 'The secret of the webhook cannot be decrypted',
    explanation:
      'Secrets of webhooks are encrypted with `SVC_SECRET_KEY`, or the file `secret-key`. ' +
      'Restore that key, or rotate the secret.',
  },
  ...TRANSFER_ERRORS,
  unauthorized: {
    status: 401,
    title: 'Authentication required',
    explanation:
      'Send the header `Authorization: Bearer <key>` with a valid API key. ' +
      'The key may be mistyped, revoked or expired.',
    commandAdvice: 'Run `recto login`, or set RECTO_API_KEY to a valid key.',
  },
  forbidden: {
    status: 403,
    title: 'Forbidden',
    explanation: 'Your role or the scope of your key does not allow this. A space admin can change your role.',
    agentAdvice: 'context_whoami returns the scopes of your key, context_list_spaces your role in each space.',
    commandAdvice: '`recto whoami` shows the permissions of the key.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    explanation: 'Not found, or no access. The two are indistinguishable on purpose.',
    agentAdvice: 'Find pages with context_find or context_search, spaces with context_list_spaces.',
    commandAdvice: 'Check the name, and the key with `recto whoami`.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    explanation: 'This URL does not support the method. The header `Allow` lists the methods it supports.',
  },
  expectation_failed: {
    status: 417,
    title: 'Expectation not supported',
    explanation:
      'The only expectation that is supported is `Expect: 100-continue`. Send the request without the header.',
  },
  not_acceptable: {
    status: 406,
    title: 'Not acceptable',
    explanation:
      'Pages are available as `text/html`, `text/markdown` and `application/json`; ' +
      'other resources as `application/json`.',
  },
  slug_taken: {
    status: 409,
    title: 'Slug already in use',
    explanation: 'Another space has this slug, or it is reserved. Choose another one.',
  },
  email_taken: {
    status: 409,
    title: 'E-mail address already in use',
    explanation: 'Another account has this e-mail address. Choose another one, or change that account.',
  },
  user_name_taken: {
    status: 409,
    title: 'User name already in use',
    explanation: 'SCIM keeps another person with this `userName`; letter case does not count.',
  },
  accounts_not_mergeable: {
    status: 409,
    title: 'These accounts cannot be merged',
    explanation:
      'Both accounts must be of people, enabled, and not both hold personal pages; ' +
      'the one that ends is neither yours nor kept by SCIM. A merged account cannot be changed any more.',
  },
  group_name_taken: {
    status: 409,
    title: 'Group name already in use',
    explanation: 'Another group has this name; letter case does not count. Choose another one.',
  },
  group_managed: {
    status: 409,
    title: 'This group is managed elsewhere',
    explanation: 'The name and the members of this group come from your identity provider (SCIM). Change them there.',
  },
  link_invalid: {
    status: 404,
    title: 'This link is not valid',
    explanation:
      'One-time links work once and for a limited time. This one is mistyped, used, expired or revoked. ' +
      'Request a new one.',
  },
  page_moved: {
    status: 308,
    title: 'The page has moved',
    explanation: 'The page has moved to the URL in `Location` and `movedTo`. The old URL redirects.',
    agentAdvice: 'Call again with the space and path in `movedTo`.',
  },
  space_renamed: {
    status: 308,
    title: 'The space was renamed',
    explanation:
      'The space has the slug in `slug`, and `Location` is its URL. ' +
      'The old slug redirects until another space takes it.',
  },
  page_deleted: {
    status: 410,
    title: 'The page is in the trash',
    explanation:
      'The page was deleted. An editor of the space can restore it with `POST .../restore` until it is deleted ' +
      'permanently. `PUT` creates a new page here.',
    agentAdvice:
      'context_restore_page restores it. ' +
      'To create another page at its path, call context_write_page without `version`.',
    commandAdvice: '`recto restore` restores it.',
  },
  page_exists: {
    status: 409,
    title: 'Page already exists',
    explanation: 'A page cannot be moved or restored to a path that another page has. Nothing was changed.',
  },
  space_not_empty: {
    status: 409,
    title: 'The space is not empty',
    explanation:
      'Only an organisation admin can delete a space with pages or files, with `?force=true`. ' +
      'Those in the trash count.',
  },
  last_admin: {
    status: 409,
    title: 'Cannot remove the last admin',
    explanation:
      'This would disable or demote the last organisation admin. Make someone else an admin with a key first.',
  },
  cross_site: {
    status: 403,
    title: 'Cross-site request blocked',
    explanation:
      'A signed-in browser can make changes only from the pages of this service. ' +
      'Programs send an API key instead of a cookie.',
  },
  confirmation_required: {
    status: 403,
    title: 'Confirm that it is you',
    explanation:
      'In a browser session, what gives somebody access, changes how somebody signs in, ' +
      'sends data elsewhere or deletes a space needs a sign-in, or a confirmation by password or passkey, ' +
      'within the last five minutes: keys, connected apps, invitations, accounts, roles, webhooks, exports. ' +
      'Requests with an API key need none.',
    screenAdvice: 'Open the screen again and confirm.',
  },
  csrf_token_invalid: {
    status: 403,
    title: 'CSRF token missing or invalid',
    explanation:
      'Requests that use the session cookie to make changes need the CSRF token of the session, ' +
      'in the header `X-CSRF-Token` or the form field `csrf`. ' +
      'Scripts read it from the cookie `recto_csrf` (`__Host-recto_csrf` behind https). ' +
      'Reload the page after signing in again. Programs send an API key instead.',
    screenTitle: 'The form has expired',
    screenAdvice: 'It is older than your sign-in. Nothing was changed. Go back, reload the page and submit it again.',
  },
  idempotency_key_invalid: {
    status: 400,
    title: 'The Idempotency-Key is not valid',
    explanation:
      'An `Idempotency-Key` is one string of 1 to 255 visible ASCII characters, in double quotes or without. ' +
      'A random UUID is a good one.',
  },
  idempotency_key_unsupported: {
    status: 400,
    title: 'Idempotency-Key not supported',
    explanation:
      'Endpoints that return a secret, take streams or speak another protocol do not support `Idempotency-Key`. ' +
      'Send the request without it.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'Idempotency-Key reused with a different request',
    explanation:
      'The same key was used with another request. Send a retry unchanged, and use a new key for a new request.',
  },
  idempotency_in_flight: {
    status: 409,
    title: 'The request is still in progress',
    explanation:
      'A request with this `Idempotency-Key` is in progress. Retry after `Retry-After` seconds to get its response.',
  },
  idempotency_answer_lost: {
    status: 409,
    title: 'The response of the completed request is not available',
    explanation:
      'The change was made and will not be repeated, but its response was not stored: ' +
      'the process ended first, or the response was too large. Read the resource to see its state.',
  },
  sign_in_failed: {
    status: 403,
    title: 'Sign-in failed',
    explanation:
      'The identity provider or the passkey was not accepted, the attempt expired, ' +
      'or your account has no access to this workspace. Start again from `/sign-in`.',
  },
  sign_in_unavailable: {
    status: 503,
    title: 'The identity provider is not available',
    explanation: 'Sign-in with OpenID Connect is not possible at the moment. You can still sign in with an API key.',
  },
  not_an_array: {
    status: 400,
    title: 'The value is not an array',
    explanation:
      '`append` and `appendUnique` extend an array, or create one if the key is absent. Nothing was changed.',
  },
  edit_not_applicable: {
    status: 409,
    title: 'The edit does not match the page',
    explanation:
      'The text or heading of an edit was not found in the page, or not as often as expected. Nothing was changed. ' +
      'Read the page and give the exact text.',
    agentAdvice: 'Read the section with context_get_page, and copy text and headings exactly.',
  },
  precondition_failed: {
    status: 412,
    title: 'Precondition failed: it has changed',
    explanation:
      'The resource was changed since you read it, or it does not exist. `current` has its state. ' +
      'Read it, apply your change again and send its ETag.',
    agentAdvice:
      'Read the page again with context_get_page, apply your change to its current text, ' +
      'and call again with its `version`. To create a page that does not exist, leave `version` out.',
    commandAdvice: 'To create it, omit --version and --if-match.',
    screenAdvice: 'Go back: what you typed is still there. Then load the page in another tab to see what changed.',
  },
  precondition_required: {
    status: 428,
    title: 'If-Match is required',
    explanation:
      'Send the header `If-Match` with the ETag that you read, so that changes by others are not overwritten.',
    agentAdvice: 'The page exists. Read it with context_get_page, then call again with its `version`.',
    commandAdvice: 'Read the page, and pass the version that you have read with --version.',
    screenAdvice: 'Go back: what you typed is still there. Then load the page in another tab to see what changed.',
  },
  payload_too_large: {
    status: 413,
    title: 'The body is too large',
    explanation:
      'A page body has at most 1 MiB, a metadata value 64 KiB (a deployment may set other limits), ' +
      'and a page 200 keys.',
    screenAdvice:
      'Nothing was saved. Go back, and split the text into several pages, or send fewer or smaller files at once.',
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
    explanation: 'Retry after `Retry-After` seconds.',
    commandAdvice: 'Wait a moment and try again.',
  },
  request_timeout: {
    status: 408,
    title: 'Request timeout',
    explanation: 'The request was not received in time. Retry it.',
  },
  headers_too_large: {
    status: 431,
    title: 'The header fields are too large',
    explanation: 'The URL and the headers of a request are limited to 16 KiB together.',
  },
  page_busy: {
    status: 503,
    effect: 'item',
    title: 'Too many queued writes for this page',
    explanation:
      'Writes to a page are serialised, and the queue of this page is full. Retry after `Retry-After` seconds.',
    agentAdvice: 'Wait a few seconds and call again.',
  },
  markdown_too_complex: {
    status: 422,
    title: 'The Markdown is too complex',
    explanation:
      'Parsing the body took more processor time than a page may take (`SVC_MARKDOWN_CPU_MS`): ' +
      'its Markdown nests or repeats in an unusual way. Simplify it or split it into several pages.',
  },
  markdown_busy: {
    status: 503,
    effect: 'item',
    title: 'Too many large pages at once',
    explanation:
      'Too many large pages are being written or parsed at the same time. This one was not processed. ' +
      'Retry after `Retry-After` seconds.',
  },
  database_unavailable: {
    status: 503,
    title: 'The database is not available',
    explanation:
      'Retry after `Retry-After` seconds. A write that was in progress may or may not have been applied; ' +
      '`If-Match` prevents it from being applied twice.',
    agentAdvice: 'Wait a few seconds and call again.',
    commandAdvice: 'Try again in a moment.',
  },
  shutting_down: {
    status: 503,
    title: 'The service is shutting down',
    explanation:
      'Only `/readyz` returns this, so that load balancers send new requests to other nodes. ' +
      'Requests that still arrive are served.',
  },
  ...STORAGE_ERRORS,
  internal_error: {
    status: 500,
    effect: 'item',
    title: 'Internal error',
    explanation: 'Something went wrong in the service. The cause is in its log under the request ID.',
    commandAdvice: 'See the log of the service.',
    screenAdvice: 'Try again. If it happens again, send the request ID below to your administrator.',
  },
} as const satisfies Readonly<Record<string, ErrorDefinition>>
