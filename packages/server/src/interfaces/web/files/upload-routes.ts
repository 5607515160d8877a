import { AppError } from '@recto/contract/errors.ts'
import { parsePagePath, parseSlug } from '@recto/contract/page-address.ts'
import { pageUrl } from '@recto/contract/page-url.ts'
import { attachmentNames, type ChosenFile } from '@recto/lib/attachment.ts'
import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Ctx } from '../../../access/ctx.ts'
import { isOverlaid } from '../../../access/overlay.ts'
import { requirePlace, requireWriter } from '../../../access/space.ts'
import type { File } from '../../../content/files/file.ts'
import { findFile, readFile } from '../../../content/files/find.ts'
import { filesOfSpace } from '../../../content/files/list.ts'
import { type FormFields, type FormPath, pathInFolder } from '../../../content/files/upload/multipart.ts'
import { createFiles } from '../../../content/files/upload/upload-form.ts'
import { writeFile } from '../../../content/files/write.ts'
import { readSpace } from '../../../content/spaces/space.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import type { List } from '../../../platform/http/paging.ts'
import { strictObject, text } from '../../../platform/http/schemas.ts'
import { msg, t } from '../html.ts'
import { apiFileUrl, type Done } from '../message.ts'
import { preconditions, VERSION } from '../page-screen.ts'
import { type FailedForm, type Screen, screenRoute } from '../screen.ts'
import { fileScreenUrl, filesUrl, uploadUrl } from '../urls.ts'
import { screenFile, shownFile } from './file-screen.ts'
import { fileFormRoute } from './form-post.ts'
import { lastSegment } from './thumbnail.ts'
import { uploadScreen } from './upload-view.ts'

const path = text({ maxLength: 1024 })
/** The page of the files, or the path of a missing file; and the files that were just uploaded for the page. */
const query = strictObject({
  page: Type.Optional(path),
  path: Type.Optional(path),
  /** Names of the files that were just uploaded for the page. */
  stored: Type.Optional(Type.Union([path, Type.Array(path, { maxItems: 20 })])),
})

type UploadRequest = FastifyRequest<{ Params: { slug: string } }>

/** Forms that upload files, and a new version of one. */
export const uploadRoutes = registerRoutes(
  screenRoute('/upload/:slug', { query, view: (request) => upload(request, request.query) }),

  fileFormRoute('/upload/:slug', {
    authorize: ({ ctx, params }) => requireWriter(ctx, parseSlug(params.slug), 'organizer'),
    suggests: msg('Upload files'),
    choosePath: ({ ctx, params }, fields, file) => toFormPath(ctx, parseSlug(params.slug), fields, file),
    act: async ({ ctx, params }, { files, fields }) => {
      const slug = parseSlug(params.slug)
      if (!isOverlaid(ctx)) return done(slug, await createFiles(ctx, slug, files), fields)
      const conditions = { ifMatch: undefined, ifNoneMatch: '*', required: false } as const
      for (const { path, upload } of files)
        await writeFile(ctx, { space: slug, path, preconditions: conditions }, upload)
      return filesUrl(slug)
    },
    view: (request, fields, error) =>
      upload(
        request,
        { page: fields.get('page') ?? '', path: fields.get('path') ?? '' },
        { fields: Object.fromEntries(fields), error },
      ),
  }),

  fileFormRoute('/replace-file/:space/*', {
    authorize: ({ ctx, params }) => findFile(ctx, screenFile(params), 'organizer'),
    suggests: msg('Replace a file'),
    choosePath: ({ params }) => screenFile(params).path,
    act: async ({ ctx, params }, { files, fields }) => {
      const address = screenFile(params)
      const version = fields.get('version') ?? ''
      const [file] = files
      if (!file || files.length > 1 || !VERSION.test(version)) {
        throw new AppError('invalid_request', 'Choose one file, on the screen of the file that it replaces.')
      }
      const writtenFile = await writeFile(ctx, { ...address, preconditions: preconditions(version) }, file.upload)
      const values = { name: address.path, version: writtenFile.file.version }
      const message = { text: t('{name} has version {version} now.', values) }
      return { url: fileScreenUrl(address.space, address.path), message }
    },
    view: (request, fields, error) => shownFile(request, undefined, { fields: Object.fromEntries(fields), error }),
  }),
)

/** The path of a file of the form: the missing path, a name next to the page, or its own name in the folder. */
function toFormPath(ctx: Ctx, space: string, fields: FormFields, file: ChosenFile): FormPath {
  const path = fields.get('path')
  if (path) return parsePagePath(path, 'file')
  const page = fields.get('page')
  if (!page) return pathInFolder(fields, file.name)
  const folder = parentFolder(parsePagePath(page))
  const names = attachmentNames(page, file)
  return async (before) => {
    const takenPaths = new Set(before.map((each) => each.path))
    for await (const each of filesBelow(ctx, space, folder + names.stem)) takenPaths.add(each)
    return parsePagePath(folder + names.pick((name) => takenPaths.has(folder + name)), 'file')
  }
}

/** The paths of a space with a prefix. */
async function* filesBelow(ctx: Ctx, space: string, prefix: string): AsyncGenerator<string> {
  let cursor: string | null = null
  do {
    const page: List<File> = await filesOfSpace(ctx, { space, prefix, limit: 200, ...(cursor && { cursor }) })
    for (const { path } of page.items) yield path
    cursor = page.nextCursor
  } while (cursor !== null)
}

function done(space: string, files: readonly File[], fields: FormFields): string | Done {
  const page = fields.get('page')
  if (page && fields.get('path')) return pageUrl(space, page)
  if (page) return uploadUrl(space, { page, stored: files.map(({ path }) => lastSegment(path)) })
  const requests = files.map(
    (file) => ({ method: 'DELETE', url: apiFileUrl(file.space, file.path), match: file.etag }) as const,
  )
  const [first] = files
  const text =
    first && files.length === 1
      ? t('{name} was uploaded.', { name: first.path })
      : t('{count, plural, one {# file was} other {# files were}} uploaded.', { count: files.length })
  return { url: filesUrl(space), message: { text, undo: { requests, url: filesUrl(space) } } }
}

async function upload(
  request: UploadRequest,
  { page, path, stored = [] }: Static<typeof query>,
  failed?: FailedForm,
): Promise<Screen> {
  const { ctx } = request
  const slug = parseSlug(request.params.slug)
  const target = { ...(page && { page: parsePagePath(page) }), ...(path && { path: parsePagePath(path, 'file') }) }
  const at = target.path ?? target.page
  if (at === undefined) await requireWriter(ctx, slug, 'organizer')
  else await requirePlace(ctx, { space: slug, path: at }, 'organizer')
  const folder = parentFolder(target.page ?? '')
  const names = target.page === undefined ? [] : [stored].flat()
  const files = await Promise.all(
    names.map((name) => readFile(ctx, { space: slug, path: parsePagePath(folder + name, 'file') })),
  )
  const space = await readSpace(ctx, slug)
  const { maxFileBytes } = ctx.config
  return uploadScreen({ space, ...target, stored: files, maxFileBytes, failed })
}

/** The folder of a path with its slash; empty at the top. */
function parentFolder(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1)
}
