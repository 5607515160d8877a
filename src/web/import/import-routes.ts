import type { Readable } from 'node:stream'
import { Type } from 'typebox'
import { checkFormToken } from '../../access/sessions/csrf.ts'
import { requireSpace } from '../../access/space.ts'
import { AppError } from '../../errors.ts'
import type { FormFields } from '../../files/upload/multipart.ts'
import { parseSlug } from '../../http/addresses/page-address.ts'
import { routesOf } from '../../http/endpoint.ts'
import { readSpace } from '../../spaces/space.ts'
import { mendArchive } from '../../templates/bundle/mend-archive.ts'
import { importTooLarge } from '../../templates/bundle/spool.ts'
import { importPages } from '../../templates/transfer/import.ts'
import type { ImportDeps } from '../../templates/transfer/import-limit.ts'
import { type FileFormRequest, streamFormRoute } from '../files/form-post.ts'
import { csrfField } from '../forms.ts'
import { type FailedForm, type Screen, screenRoute } from '../screen.ts'
import { importScreen, type ShownImport } from './import-view.ts'
import { receiveArchive } from './receive-archive.ts'

const params = Type.Object({ slug: Type.String() })
type ImportRequest = FileFormRequest<typeof params>

/** The import of archives into a space, with a preview. */
export const importRoutes = routesOf<ImportDeps>(
  screenRoute('/import/:slug', {
    params,
    view: async (request) => {
      await requireSpace(request.ctx, parseSlug(request.params.slug), 'editor')
      return await show(request)
    },
  }),
  streamFormRoute('/import/:slug', {
    params,
    submit: receive,
    view: (request, fields, error) =>
      show(request, { failed: { fields: Object.fromEntries(fields), error } }),
  }),
)

async function receive(
  request: ImportRequest,
  body: Readable,
  fields: FormFields,
  { folder, limited }: ImportDeps,
): Promise<Screen> {
  const { ctx, headers } = request
  const space = parseSlug(request.params.slug)
  await requireSpace(ctx, space, 'editor')
  const maxBytes = ctx.config.maxImportBytes
  if (Number(headers['content-length']) > maxBytes) throw importTooLarge(maxBytes)
  return await limited(async () => {
    const check = () => checkFormToken(request, fields.get('csrf'))
    await using upload = await receiveArchive(body, headers, { fields, folder, maxBytes, check })
    check()
    await request.reauthenticate()
    const { onConflict, dryRun, frontMatter } = choiceOf(fields)
    let names: ReadonlyMap<string, string> = new Map()
    const report = await importPages(ctx, {
      space,
      upload,
      onConflict,
      dryRun,
      frontMatter,
      conflictsOffset: 0,
      prepare(source) {
        const archive = mendArchive(source)
        names = archive.names
        return archive
      },
    })
    return await show(request, { made: { report, names }, onConflict, frontMatter })
  })
}

function choiceOf(fields: FormFields) {
  const [onConflict, action] = [fields.get('onConflict'), fields.get('action')]
  if (
    (onConflict !== 'skip' && onConflict !== 'overwrite') ||
    (action !== 'preview' && action !== 'import')
  ) {
    throw new AppError(
      'invalid_request',
      'Choose what to do with pages that exist already, then Preview or Import.',
    )
  }
  const frontMatter = fields.get('frontMatter') === '1'
  return { onConflict, dryRun: action === 'preview', frontMatter } as const
}

async function show(
  request: ImportRequest,
  shown: {
    readonly made?: ShownImport
    readonly onConflict?: string
    readonly frontMatter?: boolean
    readonly failed?: FailedForm
  } = {},
): Promise<Screen> {
  const space = await readSpace(request.ctx, parseSlug(request.params.slug))
  const { maxImportBytes: maxBytes } = request.ctx.config
  return importScreen({ space, maxBytes, csrf: csrfField(request), ...shown })
}
