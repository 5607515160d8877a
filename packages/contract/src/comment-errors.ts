/** The error codes of comments, as part of the table in `error-table.ts`. */
export const COMMENT_ERRORS = {
  quote_not_found: {
    status: 400,
    title: 'The page does not have the quote',
    explanation:
      '`quote.exact` is compared with the body as written, marks included, ' +
      'with `prefix` directly before and `suffix` directly after it.',
    agentAdvice: 'Read the page as Markdown, and copy the passage as it is written there.',
  },
  quote_ambiguous: {
    status: 400,
    title: 'The page has the quote several times',
    explanation:
      '`lines` says where. Add what stands directly before it as `prefix`, ' +
      'or what stands directly after it as `suffix`.',
    agentAdvice: 'Send a longer quote, or add `prefix` or `suffix`.',
  },
  too_many_comments: {
    status: 409,
    title: 'There are too many comments',
    explanation:
      'A page, a file or a change request has at most 1,000 threads, and a thread at most 500 comments. ' +
      'Delete some first.',
  },
} as const
