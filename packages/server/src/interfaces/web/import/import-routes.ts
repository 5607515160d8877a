import type { Readable } from 'node:stream'
import { AppError } from '@recto/contract/errors.ts'
import { parseSlug } from '@recto/contract/page-address.ts'
import { requireWriter } from '../../../access/space.ts'
import type { FormFields } from '../../../content/files/upload/multipart.ts'
import { readSpace } from '../../../content/spaces/space.ts'
import { mendArchive } from '../../../content/templates/bundle/mend-archive.ts'
import { importTooLarge } from '../../../content/templates/bundle/spool.ts'
import { type ImportInput, importPages } from '../../../content/templates/transfer/import.ts'
import type { ImportDeps } from '../../../content/templates/transfer/import-limit.ts'
import type { Jobs } from '../../../events/jobs/runner.ts'
import { checkFormToken } from '../../../identity/sessions/csrf.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { preferredWaitMs } from '../../../platform/http/headers/response-headers.ts'
import { errorNotice, selectField, translateChoices } from '../controls.ts'
import { type FileFormRequest, streamFormRoute } from '../files/form-post.ts'
import { CSRF_FIELD } from '../forms.ts'
import { formatBytes, type Html, html, msg, t, trusted } from '../html.ts'
import { type FailedForm, type Screen, screenRoute } from '../screen.ts'
import { spaceFrame } from '../space-screen.ts'
import { importUrl, jobUrl } from '../urls.ts'
import { type ImportSubject, importResult, type ShownImport, shownImport } from './import-result.ts'
import { receiveArchive } from './receive-archive.ts'

type ImportRequest = FileFormRequest<'/import/:slug'>

interface ImportScreenDeps extends ImportDeps {
  readonly jobs: Jobs
}

/** The import of archives into a space, with a preview. */
export const importRoutes = registerRoutes<ImportScreenDeps>(
  screenRoute('/import/:slug', {
    view: async (request) => {
      await requireWriter(request.ctx, parseSlug(request.params.slug))
      return await show(request)
    },
  }),
  streamFormRoute('/import/:slug', {
    submit: receive,
    view: (request, fields, error) => show(request, { failed: { fields: Object.fromEntries(fields), error } }),
  }),
)

async function receive(
  request: ImportRequest,
  body: Readable,
  fields: FormFields,
  { folder, reserve, jobs }: ImportScreenDeps,
): Promise<Screen | string> {
  const { ctx, headers } = request
  const space = parseSlug(request.params.slug)
  await requireWriter(ctx, space)
  const maxBytes = ctx.config.maxImportBytes
  if (Number(headers['content-length']) > maxBytes) throw importTooLarge(maxBytes)
  await using receiving = new AsyncDisposableStack()
  receiving.use(reserve())
  const check = () => checkFormToken(request, fields.get('csrf'))
  const upload = receiving.use(await receiveArchive(body, headers, { fields, folder, maxBytes, check }))
  check()
  await request.reauthenticate()
  const choice = readChoice(fields)
  const heldStack = receiving.move()
  const ran = await jobs.run(ctx, {
    kind: 'import',
    subject: { space, dryRun: choice.dryRun } satisfies ImportSubject,
    waitMs: preferredWaitMs(headers),
    async work(progress, signal) {
      await using _upload = heldStack
      return await importArchive({ ...ctx, signal }, { space, upload, ...choice, conflictsOffset: 0, progress })
    },
  })
  if ('id' in ran) return jobUrl(ran.id)
  const { onConflict, frontMatter } = choice
  return await show(request, { made: ran.result, onConflict, frontMatter })
}

async function importArchive(ctx: ImportRequest['ctx'], input: Omit<ImportInput, 'prepare'>): Promise<ShownImport> {
  let names: ReadonlyMap<string, string> = new Map()
  const report = await importPages(ctx, {
    ...input,
    prepare(source) {
      const archive = mendArchive(source, ctx.pages.markdown)
      names = archive.names
      return archive
    },
  })
  return shownImport(report, names)
}

function readChoice(fields: FormFields) {
  const [onConflict, action] = [fields.get('onConflict'), fields.get('action')]
  if ((onConflict !== 'skip' && onConflict !== 'overwrite') || (action !== 'preview' && action !== 'import')) {
    throw new AppError('invalid_request', 'Choose what to do with pages that exist already, then Preview or Import.')
  }
  const frontMatter = fields.get('frontMatter') === '1'
  return { onConflict, dryRun: action === 'preview', frontMatter } as const
}

interface ImportOptions {
  readonly made?: ShownImport
  readonly onConflict?: string
  /** Whether front matter becomes properties. */
  readonly frontMatter?: boolean
  readonly failed?: FailedForm
}

/** The form that imports an archive. It works without script; the island adds folders, dropping and progress. */
async function show({ ctx, params }: ImportRequest, options: ImportOptions = {}): Promise<Screen> {
  const space = await readSpace(ctx, parseSlug(params.slug))
  const { made, failed } = options
  return spaceFrame(space, 'Settings', {
    crumbs: [{ text: t('Import'), href: importUrl(space.slug) }],
    islands: ['import'],
    heading: t('Import'),
    main: html`<p>${t(
      'Imports a ZIP archive of Markdown files, as Obsidian, Notion and Outline export it, or an export of Recto. ' +
        'Ids in names are removed, links between the pages keep working, and other files are stored beside the pages.',
    )}</p>
${importForm(space.slug, ctx.config.maxImportBytes, options)}
<div id="import-result">
${errorNotice(failed)}
${made && importResult(space.slug, made)}
</div>`,
  })
}

const CONFLICTS = [
  { value: 'skip', text: msg('Keep them') },
  { value: 'overwrite', text: msg('Replace them: each gets a new version') },
]

function importForm(
  slug: string,
  maxBytes: number,
  { made, onConflict = 'skip', failed, frontMatter = failed?.fields.frontMatter === '1' }: ImportOptions,
): Html {
  const isPreviewed = made?.report.dryRun === true
  return html`<form class="form import" method="post" enctype="multipart/form-data" action="${importUrl(slug)}">
${CSRF_FIELD}
${selectField('onConflict', t('Pages and files that exist already'), {
  value: onConflict,
  choices: translateChoices(CONFLICTS),
  failed,
})}
<label class="check"><input type="checkbox" name="frontMatter"
  value="1"${frontMatter && trusted(' checked')}> ${t('Import front matter as properties')}</label>
<div class="field">
<label for="file">${t('Archive')}</label>
<input type="file" id="file" name="file" required accept=".zip,.json,application/zip,application/json"
  aria-describedby="file-help">
<p class="help" id="file-help">${t('At most {size}, unpacked as well.', { size: formatBytes(maxBytes) })}</p>
</div>
<div class="buttons">
<button class="button${!isPreviewed && trusted(' primary')}" type="submit" name="action"
  value="preview">${t('Preview')}</button>
<button class="button${isPreviewed && trusted(' primary')}" type="submit" name="action"
  value="import">${t('Import')}</button></div>
</form>`
}
