import { route, targetWithQuery } from './address.ts'
import { conditionHeaders, type IfMatch } from './condition.ts'
import { ConnectionError } from './errors.ts'
import { jsonApi, requestJson } from './json.ts'
import type { ListCall, Listing } from './paging.ts'
import { type CallOptions, type Connection, open } from './request.ts'
import type {
  DeletedFile,
  FileMigration,
  FileMigrationReport,
  FileMove,
  FileMoveReport,
  FileVersion,
  StoredFile,
} from './types.ts'

export interface PutFileOptions extends IfMatch {
  /** Fail if the file exists. */
  readonly createOnly?: boolean | undefined
  /** Called with the number of bytes that were handed to the connection; `fetch` buffers some of them. */
  readonly onProgress?: ((bytes: number) => void) | undefined
}

/** Files: images and attachments. */
export interface FileMethods {
  /** The attributes of a file. */
  getFile(space: string, path: string, options?: FileOptions): Promise<StoredFile>
  /** Streams the bytes of a file. */
  readFile(space: string, path: string, options?: FileOptions): Promise<ReadableStream<Uint8Array>>
  /** Creates the file, or replaces the version that `ifMatch` names. A stream is not retried. */
  putFile(
    space: string,
    path: string,
    bytes: Uint8Array | Blob | ReadableStream<Uint8Array>,
    options?: PutFileOptions,
  ): Promise<StoredFile>
  /** Creates the files of a form, all or none: `folder` for all, or `path` before each. */
  uploadFiles(space: string, form: FormData, call?: CallOptions): Promise<readonly StoredFile[]>
  /** Moves a file, with the links to it; the current version unless `ifMatch` is given. */
  moveFile(space: string, path: string, move: FileMove, options?: IfMatch): Promise<FileMoveReport>
  /** Moves a file to the trash; the current version unless `ifMatch` is given. */
  deleteFile(space: string, path: string, options?: IfMatch): Promise<void>
  /** Deletes a file permanently, with its versions. */
  purgeFile(space: string, path: string, options?: IfMatch): Promise<void>
  /** Restores a file from the trash. */
  restoreFile(space: string, path: string, call?: CallOptions): Promise<StoredFile>
  listFileVersions(space: string, path: string, options?: ListCall): Listing<FileVersion>
  /** The files of a space, sorted by path. */
  listFiles(space: string, options?: FileListOptions): Listing<StoredFile>
  listDeletedFiles(space: string, options?: ListCall): Listing<DeletedFile>
  /** Moves bytes between the database and the bucket for some seconds; call it again with `next` until that is null. */
  migrateFiles(step: FileMigration, call?: CallOptions): Promise<FileMigrationReport>
}

export interface FileOptions extends CallOptions {
  /** Number of a version; the latest if absent. */
  readonly version?: number | undefined
}

export interface FileListOptions extends ListCall {
  readonly prefix?: string | undefined
  /** Part of the path; letter case does not count. */
  readonly q?: string | undefined
  /** Only files to which no page refers that the caller can read. */
  readonly unused?: boolean | undefined
  /** A media type such as `image/png`, or `image/` for all of them. */
  readonly type?: string | undefined
}

/** The methods of files. */
export function fileMethods(connection: Connection): FileMethods {
  const api = jsonApi(connection)
  // Uploads and downloads have no time limit.
  const read = { method: 'GET', redirect: 'follow', timeoutMs: 0 } as const
  return {
    getFile(space, path, { version, signal } = {}) {
      const target = targetWithQuery(route`/files/${space}/${path}`, { version })
      return requestJson(connection, { ...read, target, signal, headers: { Accept: 'application/json' } })
    },
    async readFile(space, path, { version, signal } = {}) {
      const target = targetWithQuery(route`/files/${space}/${path}`, { version })
      const { body } = await open(connection, { ...read, target, signal })
      if (!body) throw new ConnectionError(connection.url, 'the response has no body')
      return body
    },
    putFile: (space, path, bytes, { ifMatch, createOnly, onProgress, signal } = {}) =>
      requestJson(connection, {
        method: 'PUT',
        target: route`/files/${space}/${path}`,
        headers: {
          'Content-Type': 'application/octet-stream',
          ...conditionHeaders(createOnly ? undefined : ifMatch, createOnly),
        },
        body: bytes,
        onProgress,
        timeoutMs: 0,
        signal,
      }),
    async uploadFiles(space, form, { signal } = {}) {
      const target = route`/files/${space}`
      const request = { method: 'POST', target, body: form, timeoutMs: 0, signal } as const
      return (await requestJson<{ readonly files: readonly StoredFile[] }>(connection, request)).files
    },
    moveFile: (space, path, move, { ifMatch = '*', ...call } = {}) =>
      api.post(route`/files/${space}/${path}/move`, move, call, { headers: conditionHeaders(ifMatch) }),
    deleteFile: (space, path, { ifMatch = '*', ...call } = {}) =>
      api.delete(route`/files/${space}/${path}`, call, { headers: conditionHeaders(ifMatch) }),
    purgeFile: (space, path, { ifMatch, ...call } = {}) =>
      api.delete(route`/files/${space}/${path}?purge=true`, call, { headers: conditionHeaders(ifMatch) }),
    restoreFile: (space, path, call) => api.post(route`/files/${space}/${path}/restore`, undefined, call),
    listFileVersions: (space, path, options) => api.list(route`/files/${space}/${path}/versions`, options),
    listFiles: (space, options) => api.list(route`/spaces/${space}/files`, options),
    migrateFiles: (step, call) => api.post('/admin/files/migrate', step, call, { notIdempotent: true }),
    listDeletedFiles: (space, options) => api.list(route`/spaces/${space}/files/trash`, options),
  }
}
