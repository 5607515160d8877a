import { AppError } from '../errors.ts'

export function fileTooLarge(maxBytes: number): AppError {
  return new AppError('file_too_large', `A file has at most ${maxBytes} bytes. Nothing was changed.`, {
    members: { maxBytes },
  })
}

/** The lease of the upload ended, so that its chunks may be deleted already. */
export function uploadExpired(): AppError {
  return new AppError(
    'upload_expired',
    'No bytes arrived for too long, and the upload was discarded. Upload the file again.',
  )
}
