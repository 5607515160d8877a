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
import { type FileFormRequest, streamFormRoute } from '../files/form-post.ts'
import { type FailedForm, type Screen, screenRoute } from '../screen.ts'
import { jobUrl } from '../urls.ts'
import { type ImportSubject, type ShownImport, shownImport } from './import-result.ts'
import { importScreen } from './import-view.ts'
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

async function show(
  request: ImportRequest,
  options: {
    readonly made?: ShownImport
    readonly onConflict?: string
    readonly frontMatter?: boolean
    readonly failed?: FailedForm
  } = {},
): Promise<Screen> {
  const space = await readSpace(request.ctx, parseSlug(request.params.slug))
  const { maxImportBytes: maxBytes } = request.ctx.config
  return importScreen({ space, maxBytes, ...options })
}
