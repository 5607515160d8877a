import { createHash } from 'node:crypto'
import { byteSize } from '@recto/lib/text/byte-size.ts'
import { type CheckContext, type CheckResult, type Finding, toMessage } from '../../platform/database/check/finding.ts'

const BLOBS_AT_ONCE = 100
/** A megabyte. */
const CHUNKS_AT_ONCE = 4
const LOST =
  'The bytes of a file are lost: restore a backup, or delete the files with this digest for good and upload them again.'

interface Blob {
  readonly digest: string
  readonly size: string
  readonly upload: string
  readonly in_s3: boolean
}

/** Compares the bytes of every blob in the database with its SHA-256 and its size. */
export async function checkBlobs({ read, progress }: CheckContext): Promise<CheckResult> {
  const findings: Finding[] = []
  let [count, bytes, bucketCount] = [0, 0, 0]
  for await (const blob of listBlobs(read)) {
    count++
    if (blob.in_s3) bucketCount++
    else {
      bytes += Number(blob.size)
      const problem = await compare(read, blob).catch(toMessage)
      if (problem) findings.push({ check: 'blobs', table: 'blob', id: blob.digest, problem, advice: LOST })
    }
    progress('blobs', `${count}, ${byteSize(bytes)}`)
  }
  const bucket = bucketCount > 0 ? ` (the bytes of ${bucketCount} are in the bucket, and not read)` : ''
  return { seen: `${count} blobs with ${byteSize(bytes)}${bucket}`, findings }
}

async function* listBlobs(read: CheckContext['read']): AsyncGenerator<Blob> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const blobs: Blob[] = await read<Blob>(
      `select encode(digest, 'hex') as digest, size::text as size, upload_id as upload, in_s3 from blob
       where digest > decode($1, 'hex') order by digest limit ${BLOBS_AT_ONCE}`,
      [after],
    )
    yield* blobs
    after = blobs.length < BLOBS_AT_ONCE ? undefined : blobs.at(-1)?.digest
  }
}

/** What is wrong with its bytes; undefined: nothing. Deleted meanwhile, it has none. */
async function compare(read: CheckContext['read'], { digest, size, upload }: Blob): Promise<string | undefined> {
  const hash = createHash('sha256')
  let length = 0
  for (let from = 0; ; from += CHUNKS_AT_ONCE) {
    const chunks = await read<{ data: Buffer }>(
      'select data from blob_chunk where upload_id = $1 and seq >= $2 and seq < $3 order by seq',
      [upload, from, from + CHUNKS_AT_ONCE],
    )
    for (const { data } of chunks) {
      hash.update(data)
      length += data.length
    }
    if (chunks.length < CHUNKS_AT_ONCE) break
  }
  if (length === Number(size) && hash.digest('hex') === digest) return undefined
  const rows = await read('select from blob where digest = $1::bytea and upload_id = $2', [`\\x${digest}`, upload])
  if (rows.length === 0) return undefined
  return length === Number(size) ? 'its bytes have another digest' : `it has ${length} bytes, not ${size}`
}
