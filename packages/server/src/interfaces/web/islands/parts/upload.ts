/** Uploads of files with progress: XMLHttpRequest, since `fetch` does not report what was sent. */
import { csrfToken, problemIn } from './api.ts'
import { t } from './t.ts'

export interface UploadedFile {
  readonly path: string
  /** Its address on the public origin of the service. */
  readonly url: string
  readonly contentType: string
  /** Of an image, in pixels. */
  readonly width: number | null
  readonly height: number | null
}

type UploadResult =
  | { readonly kind: 'stored'; readonly file: UploadedFile }
  /** The path is in use by another file. */
  | { readonly kind: 'taken' }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'failed'; readonly message: string; readonly canRetry: boolean }

export interface Upload {
  readonly result: Promise<UploadResult>
  cancel(): void
}

/** Creates the file at a path of a space; fails if there is one. `onProgress` gets the sent share, from 0 to 1. */
export function uploadFile(
  { space, path }: { readonly space: string; readonly path: string },
  file: File,
  onProgress: (share: number) => void,
): Upload {
  const request = new XMLHttpRequest()
  request.open('PUT', `/files/${space}/${encodeURIComponent(path)}`)
  request.setRequestHeader('Accept', 'application/json')
  request.setRequestHeader('Content-Type', file.type || 'application/octet-stream')
  request.setRequestHeader('If-None-Match', '*')
  request.setRequestHeader('X-CSRF-Token', csrfToken())
  request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0))
  const result = new Promise<UploadResult>((resolve) => {
    request.addEventListener('load', () => resolve(toResult(request)))
    request.addEventListener('abort', () => resolve({ kind: 'cancelled' }))
    const message = t('The connection was lost, or the file cannot be read.')
    request.addEventListener('error', () => resolve({ kind: 'failed', message, canRetry: true }))
  })
  request.send(file)
  return { result, cancel: () => request.abort() }
}

function toResult({ status, responseText }: XMLHttpRequest): UploadResult {
  if (status === 201) return { kind: 'stored', file: JSON.parse(responseText) }
  if (status === 412) return { kind: 'taken' }
  return { kind: 'failed', ...toFailure(status, responseText) }
}

/** Maps an error response to the result of an upload. */
export function toFailure(status: number, text: string) {
  const { code, detail } = problemIn(status, text)
  if (status === 401 || code === 'csrf_token_invalid') {
    return { message: t('You are signed out. Sign in in another tab, then retry.'), canRetry: true }
  }
  return { message: detail, canRetry: status >= 500 || status === 408 || status === 429 }
}
