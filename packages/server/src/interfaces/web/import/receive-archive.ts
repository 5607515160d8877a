import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { AppError } from '@recto/contract/errors.ts'
import { type FormFields, invalidForm, parserFor } from '../../../content/files/upload/multipart.ts'
import { type Spooled, spool } from '../../../content/templates/bundle/spool.ts'

export interface ReceiveOptions {
  /** Gets the fields as they arrive. */
  readonly fields: FormFields
  readonly folder: string
  readonly maxBytes: number
  /** Checks the fields before the file: nothing of a forged form is stored. */
  check(): void
}

/** Reads a form with one file (`multipart/form-data`, RFC 7578), and stores the file in a temporary one. */
export async function receiveArchive(
  body: Readable,
  headers: IncomingHttpHeaders,
  { fields, folder, maxBytes, check }: ReceiveOptions,
): Promise<Spooled> {
  const form = parserFor(headers)
  const { promise: failed, reject } = Promise.withResolvers<never>()
  failed.catch(() => {}) // awaited below
  let spooling: Promise<Spooled> | undefined
  form.on('field', (name, value) => fields.set(name, value))
  form.on('file', (_name, bytes, filename) => {
    bytes.on('error', reject)
    // Browsers send a part without a name for a field without a file.
    if (!filename || spooling) return bytes.resume()
    try {
      check()
      spooling = spool(folder, bytes, maxBytes)
      spooling.catch(reject)
    } catch (error) {
      bytes.resume()
      reject(error)
    }
    return undefined
  })
  body.once('error', () => reject(invalidForm('The connection ended before the whole form had arrived.')))
  body.pipe(form)
  try {
    await Promise.race([finished(form, { readable: false }), failed])
    const upload = await Promise.race([spooling, failed])
    if (upload) return upload
  } catch (error) {
    body.unpipe(form)
    form.destroy()
    await (await spooling?.catch(() => undefined))?.[Symbol.asyncDispose]()
    throw error instanceof AppError ? error : invalidForm('The form is not multipart/form-data, or it is cut off.')
  }
  throw new AppError('invalid_request', 'Choose an archive.')
}
