import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { Busboy } from '@fastify/busboy'
import { AppError } from '@recto/contract/errors.ts'
import { parsePagePath } from '@recto/contract/page-address.ts'
import type { ChosenFile } from '@recto/lib/attachment.ts'
import { requireReadable } from '../../../platform/http/request-scope.ts'
import type { FilesCtx } from '../ctx.ts'
import { storeUpload, type Upload } from './upload.ts'

export const MAX_FORM_FILES = 20
const LIMITS = {
  files: MAX_FORM_FILES,
  fields: 20,
  parts: 60,
  fieldNameSize: 100,
  fieldSize: 4096,
  headerPairs: 20,
  headerSize: 16 * 1024,
}

/** A file of a form, with the path that it is for. */
export interface FormFile {
  readonly path: string
  readonly upload: Upload
}

/** The fields of a form that have arrived so far. */
export type FormFields = Map<string, string>

export interface ReceivedForm extends AsyncDisposable {
  readonly files: readonly FormFile[]
  readonly fields: FormFields
}

/** The path of a file, or a function that determines it once the files before it are stored. */
export type FormPath = string | ((before: readonly FormFile[]) => Promise<string>)

/** How to read a form that is not one of the API. */
interface FormOptions {
  readonly fields: FormFields
  /** The maximum size of a file; that of all files by default. */
  readonly maxBytes?: number | undefined
  /** Checks the fields before a file, and returns its path. */
  checkPath(file: ChosenFile): FormPath
}

/**
 * Stores the files of a form (`multipart/form-data`, RFC 7578) one after the other, as they arrive. The field
 * `folder`, before them, is the folder for all; `path` is the complete path of the next file.
 */
export async function receiveForm(
  ctx: FilesCtx,
  body: Readable,
  headers: IncomingHttpHeaders,
  options: FormOptions = apiForm(),
): Promise<ReceivedForm> {
  requireReadable(body)
  await using undo = new AsyncDisposableStack()
  const form = parserFor(headers)
  const { fields, maxBytes = ctx.config.maxFileBytes } = options
  const queue = new FileQueue((bytes) => storeUpload(ctx, bytes, maxBytes), undo)
  const { promise: failed, reject } = Promise.withResolvers<never>()
  failed.catch(() => {}) // awaited below
  collectFields(form, fields, reject)
  form.on('file', (_name, bytes, filename, _encoding, type) => {
    bytes.on('error', reject)
    // The part that a browser sends for a file field without a file.
    if (!filename && !fields.has('path')) return void bytes.resume()
    try {
      queue.add(options.checkPath({ name: filename, type }), bytes).catch(reject)
    } catch (error) {
      bytes.resume()
      reject(error)
    }
  })
  body.once('error', () => reject(invalidForm('The connection ended before the whole form had arrived.')))
  body.pipe(form)
  try {
    await Promise.race([finished(form, { readable: false }), failed])
    await Promise.race([queue.stored, failed])
  } catch (error) {
    body.unpipe(form)
    form.destroy()
    await queue.stored.catch(() => {})
    if (error instanceof AppError) throw error
    throw invalidForm('The form is not multipart/form-data, or it is cut off.')
  }
  const storedStack = undo.move()
  return { files: queue.files, fields, [Symbol.asyncDispose]: () => storedStack.disposeAsync() }
}

/** Stores files one after the other. */
class FileQueue {
  readonly files: FormFile[] = []
  readonly #store: (bytes: Readable) => Promise<Upload>
  readonly #undo: AsyncDisposableStack
  #stored: Promise<void> = Promise.resolve()

  constructor(store: (bytes: Readable) => Promise<Upload>, undo: AsyncDisposableStack) {
    this.#store = store
    this.#undo = undo
  }

  /** Resolves once all files so far are stored. */
  get stored(): Promise<void> {
    return this.#stored
  }

  add(path: FormPath, bytes: Readable): Promise<void> {
    this.#stored = this.#stored.then(async () => {
      const resolvedPath = typeof path === 'string' ? path : await path(this.files)
      this.files.push({ path: resolvedPath, upload: this.#undo.use(await this.#store(bytes)) })
    })
    return this.#stored
  }
}

function collectFields(
  form: ReturnType<typeof parserFor>,
  fields: FormFields,
  reject: (error: AppError) => void,
): void {
  form.on('field', (name, value, nameTruncated, valueTruncated) => {
    if (nameTruncated || valueTruncated) reject(invalidForm(`The field ${name} is too long.`))
    fields.set(name, value)
  })
  for (const limit of ['filesLimit', 'fieldsLimit', 'partsLimit'] as const) {
    form.on(limit, () => reject(invalidForm(`A form has at most ${MAX_FORM_FILES} files and ${LIMITS.fields} fields.`)))
  }
}

/** The parser of a form; 415 for other bodies. */
export function parserFor(headers: IncomingHttpHeaders) {
  try {
    return new Busboy({ headers: { ...headers, 'content-type': headers['content-type'] ?? '' }, limits: LIMITS })
  } catch {
    throw new AppError('unsupported_media_type', 'Send the files as multipart/form-data, with its boundary.')
  }
}

/** A form of the API: the field `path` is the path of the next file, else it is its name below the field `folder`. */
function apiForm(): FormOptions {
  const fields: FormFields = new Map()
  return {
    fields,
    checkPath({ name }) {
      const path = fields.get('path')
      fields.delete('path')
      return path ? parsePagePath(path, 'file') : pathInFolder(fields, name)
    },
  }
}

export function pathInFolder(fields: FormFields, name: string): string {
  const folder = fields.get('folder')?.replace(/\/$/, '')
  return parsePagePath(folder ? `${folder}/${name}` : name, 'file')
}

/** The error of a form that cannot be read. */
export function invalidForm(detail: string): AppError {
  return new AppError('invalid_request', `${detail} Nothing was changed.`)
}
