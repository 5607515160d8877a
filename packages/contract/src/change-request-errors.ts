/** The error codes of change requests, as part of the table in `error-table.ts`. */
export const CHANGE_REQUEST_ERRORS = {
  change_request_not_supported: {
    status: 400,
    title: 'This request cannot be proposed',
    explanation:
      '`changeRequest` is for reads and writes of pages, their metadata and lists. ' +
      'Everything else is done directly, or not at all: nothing was changed.',
    agentAdvice: 'Nothing was changed. Leave `changeRequest` out only if the change may count at once.',
  },
  review_required: {
    status: 403,
    title: 'The space reviews changes before they count',
    explanation:
      'Nothing was changed. Propose the change with `?changeRequest=new&title=…`, or in an open request: ' +
      '`nextSteps` says how.',
    agentAdvice: 'Send the same write with `changeRequest`: `new` and a title, or the number of your open request.',
  },
  change_request_closed: {
    status: 409,
    title: 'The change request has ended',
    explanation: 'It is merged or closed. A closed one can be opened again; else open another one.',
  },
  drafts_deleted: {
    status: 410,
    title: 'The drafts of the change request are deleted',
    explanation: 'Drafts are deleted 90 days after the end of their request. What was merged is in the history.',
    screenAdvice: 'Open a new change request.',
  },
  change_request_full: {
    status: 409,
    title: 'The change request is full',
    explanation: 'A change request has at most 500 changes. Open another one for the others.',
  },
  too_many_change_requests: {
    status: 409,
    title: 'Too many open change requests',
    explanation: 'You have 100 open change requests. Close some, or have them merged.',
  },
  merge_blocked: {
    status: 409,
    title: 'The change request lacks checks',
    explanation:
      '`checks` names what the space needs and what is not passed: approvals, or checks by name. Nothing was merged.',
  },
  merge_incomplete: {
    status: 409,
    title: 'The change request is merged in parts that depend on others',
    explanation:
      '`requires` names the pages without whose changes those of `paths` cannot be merged. Nothing was merged.',
  },
  merge_conflict: {
    status: 409,
    title: 'The change request has conflicts',
    explanation:
      '`conflicts` names each page with its kind. Nothing was merged. ' +
      'Solve them in the drafts, say so by `POST …/update` with `resolved`, and merge again.',
  },
} as const
