import type { Readable } from 'node:stream'
import type { S3Client } from '@aws-sdk/client-s3'
import { AppError, retryLater } from '@recto/contract/errors.ts'
import { within } from '@recto/lib/concurrency/within.ts'
import { passedInBuffers } from '@recto/lib/garbage.ts'
import type { S3Config } from '../../../platform/config/s3.ts'
import type { ByteRange } from '../../../platform/http/ranges.ts'

/** Time limits of a bucket that is away, slow or hangs. */
export interface ObjectStoreLimits {
  readonly connectMs: number
  /** One request, or the wait for the next bytes of a download. */
  readonly requestMs: number
}

const OBJECT_STORE_LIMITS: ObjectStoreLimits = { connectMs: 3_000, requestMs: 15_000 }

interface Multipart {
  readonly key: string
  readonly id: string
}

/** Opens a bucket. Its library is loaded here, for those only who have one. */
export async function openObjectStore(
  { endpoint, region, bucket, prefix, credentials, takesUploads }: S3Config,
  { connectMs, requestMs }: ObjectStoreLimits = OBJECT_STORE_LIMITS,
): Promise<ObjectStore> {
  const sdk = await import('@aws-sdk/client-s3')
  const client = new sdk.S3Client({
    endpoint,
    region,
    forcePathStyle: true,
    maxAttempts: 2,
    // Not every store knows the newer checksums; the SHA-256 of a file is checked here.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: connectMs },
    ...(credentials && { credentials }),
  })
  return new ObjectStore(sdk, client, { bucket, prefix, requestMs, takesUploads })
}

type Sdk = typeof import('@aws-sdk/client-s3')

interface BucketOptions {
  readonly bucket: string
  readonly prefix: string
  readonly requestMs: number
  readonly takesUploads: boolean
}

/** Objects of an S3 bucket. Everything throws `storage_unavailable` where the bucket does not do it in time. */
export class ObjectStore implements Disposable {
  /** Whether new files are stored here. */
  readonly takesUploads: boolean
  readonly #sdk: Sdk
  readonly #client: S3Client
  readonly #options: BucketOptions

  constructor(sdk: Sdk, client: S3Client, options: BucketOptions) {
    this.#sdk = sdk
    this.#client = client
    this.#options = options
    this.takesUploads = options.takesUploads
  }

  async put(key: string, bytes: Buffer): Promise<void> {
    const command = new this.#sdk.PutObjectCommand({ ...this.#at(key), Body: bytes })
    await this.#withinLimit((options) => this.#client.send(command, options))
  }

  /** Begins a multipart upload: an object that appears once it is complete. */
  async begin(key: string): Promise<string> {
    const command = new this.#sdk.CreateMultipartUploadCommand(this.#at(key))
    return this.#withinLimit(async (options) => {
      const { UploadId: id } = await this.#client.send(command, options)
      if (id === undefined) throw new Error('the bucket began no multipart upload')
      return id
    })
  }

  /** Stores a part, of at least 5 MiB unless it is the last one; returns its ETag. */
  async putPart(upload: Multipart, number: number, bytes: Buffer): Promise<string> {
    const input = { ...this.#part(upload), PartNumber: number, Body: bytes }
    const command = new this.#sdk.UploadPartCommand(input)
    return this.#withinLimit(async (options) => {
      const { ETag: etag } = await this.#client.send(command, options)
      if (etag === undefined) throw new Error('the bucket gave no ETag for a part')
      return etag
    })
  }

  async complete(upload: Multipart, etags: readonly string[]): Promise<void> {
    const Parts = etags.map((ETag, index) => ({ ETag, PartNumber: index + 1 }))
    const input = { ...this.#part(upload), MultipartUpload: { Parts } }
    const command = new this.#sdk.CompleteMultipartUploadCommand(input)
    await this.#withinLimit((options) => this.#client.send(command, options))
  }

  /** Ends a multipart upload that is not complete, if there is one; some stores have no such request. */
  async abort(upload: Multipart): Promise<void> {
    const command = new this.#sdk.AbortMultipartUploadCommand(this.#part(upload))
    const orGone = unlessNamed('NoSuchUpload', 'NotImplemented', 'MethodNotAllowed')
    await this.#withinLimit((options) => this.#client.send(command, options).catch(orGone))
  }

  async remove(key: string): Promise<void> {
    const command = new this.#sdk.DeleteObjectCommand(this.#at(key))
    await this.#withinLimit((options) => this.#client.send(command, options).catch(unlessNamed('NoSuchKey')))
  }

  /** Reads on with the range while the bucket answers; the time that the reader takes does not count. */
  async *read(key: string, { start, end }: ByteRange): AsyncGenerator<Buffer> {
    const { requestMs } = this.#options
    const stop = new AbortController()
    const late = () => new Error('the bucket did not answer in time')
    try {
      const command = new this.#sdk.GetObjectCommand({ ...this.#at(key), Range: `bytes=${start}-${end}` })
      const opening = this.#client.send(command, { abortSignal: stop.signal })
      const { Body: body } = await within(requestMs, opening, late)
      const chunks = (body as Readable)[Symbol.asyncIterator]() // the SDK says so for Node
      for (;;) {
        const { done, value } = await within(requestMs, chunks.next(), late)
        if (done) return
        passedInBuffers(value.length)
        yield value
      }
    } catch (error) {
      throw unavailable(error)
    } finally {
      stop.abort()
    }
  }

  [Symbol.dispose](): void {
    this.#client.destroy()
  }

  async #withinLimit<T>(request: (options: { readonly abortSignal: AbortSignal }) => Promise<T>): Promise<T> {
    try {
      return await request({ abortSignal: AbortSignal.timeout(this.#options.requestMs) })
    } catch (error) {
      throw unavailable(error)
    }
  }

  #at(key: string): { readonly Bucket: string; readonly Key: string } {
    const { bucket, prefix } = this.#options
    return { Bucket: bucket, Key: prefix + key }
  }

  #part({ key, id }: Multipart) {
    return { ...this.#at(key), UploadId: id }
  }
}

function unlessNamed(...names: readonly string[]): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof Error && names.includes(error.name))) throw error
  }
}

function unavailable(cause: unknown): AppError {
  const detail = 'The file storage did not respond. Nothing was changed.'
  return retryLater('storage_unavailable', detail, 5, cause)
}

/** The bucket, where bytes are in one. */
export function requireObjects(objects: ObjectStore | undefined): ObjectStore {
  if (objects) return objects
  throw new AppError(
    'storage_unavailable',
    'The bytes are in a bucket, and the service has none: set SVC_FILES_S3_URL.',
  )
}
