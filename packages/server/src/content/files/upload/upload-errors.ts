import { AppError, retryLater } from '@recto/contract/errors.ts'
import { byteSize } from '@recto/lib/text/byte-size.ts'

export function fileTooLarge(maxBytes: number): AppError {
  return new AppError('file_too_large', `A file has at most ${byteSize(maxBytes)}. Nothing was changed.`, {
    members: { maxBytes },
  })
}

/** The lease of the upload ended, and its chunks may be deleted, or a crash of the database lost some. */
export function uploadExpired(): AppError {
  const detail =
    'The upload was discarded: the database restarted meanwhile, or no bytes arrived for too long. ' +
    'Upload the file again.'
  return retryLater('upload_expired', detail, 2)
}
