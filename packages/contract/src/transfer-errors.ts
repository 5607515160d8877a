/** The error codes of templates, bundles, archives and imports, as part of the table in `error-table.ts`. */
export const TRANSFER_ERRORS = {
  template_not_found: {
    status: 404,
    title: 'Page template not found',
    explanation:
      '`template` names a page below `templates/` of the same space, or `space/name`. ' +
      '`GET /templates` lists those that you can see.',
    agentAdvice: 'List the templates with context_list_templates.',
  },
  invalid_variables: {
    status: 400,
    title: 'Template variables are missing or unknown',
    explanation:
      'Give a value for every variable of the template except `title`, `date` and `author`, and no others. ' +
      '`issues` names each one.',
  },
  invalid_bundle: {
    status: 400,
    title: 'The upload cannot be imported',
    explanation:
      'A bundle is `{ format: "page-bundle", formatVersion, space, pages: ' +
      '[{ path, body, metadata?, revisions?, threads? }] }` (1, or 2 with threads), ' +
      'or an archive of Markdown files. `issues` lists each error with its place. Nothing was imported.',
  },
  invalid_archive: {
    status: 400,
    title: 'The archive cannot be imported',
    explanation:
      'The ZIP archive is damaged or contains unsupported entries: paths outside the archive, duplicate names, ' +
      'links, encrypted files, overlapping files, or an extreme compression ratio. Nothing was imported.',
  },
  import_conflict: {
    status: 409,
    title: 'Some pages already exist',
    explanation:
      '`conflicts` lists them. Import with `onConflict=skip` to keep the existing pages, ' +
      'or with `onConflict=overwrite` to add a revision to them.',
  },
  job_cancelled: {
    status: 409,
    title: 'Cancelled by an organisation admin',
    explanation:
      'An organisation admin ended this work before it was complete. ' +
      '`detail` says how far it came, `done` and `total` count pages and files.',
  },
  import_busy: {
    status: 503,
    title: 'Too many imports are running',
    explanation: 'An instance runs a few imports at a time. Retry after `Retry-After` seconds.',
  },
} as const
