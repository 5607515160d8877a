import { route, targetWithQuery } from '../transport/address.ts'
import { conditionHeaders, type IfMatch } from '../transport/condition.ts'
import type { CallOptions, Connection, Request } from '../transport/connection.ts'
import { jsonApi, requestJson } from '../transport/json.ts'
import type { ListCall, Listing } from '../transport/paging.ts'
import { openResumed } from '../transport/resumed.ts'
import type {
  DeletedFile,
  FileAfterWrite,
  FileMigration,
  FileMigrationReport,
  FileMove,
  FileMoveReport,
  FileVersion,
  StoredFile,
} from '../types.ts'

export interface PutFileOptions extends IfMatch {
  /** Fail if the file exists. */
  readonly createOnly?: boolean | undefined
  /**
   * Called with the number of bytes that were handed to the connection; `fetch` buffers some of them. With it, the upload of bytes or a
   * blob fails after twice the `timeout` without progress. Browsers call it once, at the end.
   */
  readonly onProgress?: ((bytes: number) => void) | undefined
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

/** Files: images and attachments. */
export function fileMethods(connection: Connection) {
  const api = jsonApi(connection)
  // Uploads and downloads have no time limit as a whole.
  const read = { method: 'GET', redirect: 'follow', timeout: 0 } as const
  return {
    /** The attributes of a file. */
    get(space: string, path: string, { version, ...call }: FileOptions = {}): Promise<StoredFile> {
      const target = targetWithQuery(route`/files/${space}/${path}`, { version })
      return requestJson(connection, { ...read, target, call, headers: { Accept: 'application/json' } })
    },
    /** Streams the bytes of a file. If the connection is cut, it continues there. */
    async read(
      space: string,
      path: string,
      { version, ...call }: FileOptions = {},
    ): Promise<ReadableStream<Uint8Array>> {
      const target = targetWithQuery(route`/files/${space}/${path}`, { version })
      return openResumed(connection, { ...read, target, call })
    },
    /** Creates the file, or replaces the version that `ifMatch` names. A stream is not retried. */
    put: (
      space: string,
      path: string,
      bytes: Uint8Array | Blob | ReadableStream<Uint8Array>,
      options?: PutFileOptions,
    ): Promise<StoredFile> =>
      requestJson(connection, putRequest(route`/files/${space}/${path}`, bytes, options)),
    /** Creates the files of a form, all or none: `folder` for all, or `path` before each. */
    async upload(space: string, form: FormData, call?: CallOptions): Promise<readonly StoredFile[]> {
      const target = route`/files/${space}`
      const request = { method: 'POST', target, body: form, timeout: 0, call } as const
      return (await requestJson<{ readonly files: readonly StoredFile[] }>(connection, request)).files
    },
    /** Moves a file, with the links to it; the current version unless `ifMatch` is given. */
    move: (
      space: string,
      path: string,
      move: FileMove,
      { ifMatch = '*', ...call }: IfMatch = {},
    ): Promise<FileMoveReport> =>
      api.post(route`/files/${space}/${path}/move`, move, call, { headers: conditionHeaders(ifMatch) }),
    /** Moves a file to the trash; the current version unless `ifMatch` is given. */
    delete: (space: string, path: string, { ifMatch = '*', ...call }: IfMatch = {}): Promise<void> =>
      api.delete(route`/files/${space}/${path}`, call, { headers: conditionHeaders(ifMatch) }),
    /** Deletes a file permanently, with its versions. */
    purge: (space: string, path: string, { ifMatch, ...call }: IfMatch = {}): Promise<void> =>
      api.delete(route`/files/${space}/${path}?purge=true`, call, { headers: conditionHeaders(ifMatch) }),
    /** Restores a file from the trash. */
    restore: (space: string, path: string, call?: CallOptions): Promise<FileAfterWrite> =>
      api.post(route`/files/${space}/${path}/restore`, undefined, call),
    versions: {
      /** The versions of a file, newest first. */
      list: (space: string, path: string, options?: ListCall): Listing<FileVersion> =>
        api.list(route`/files/${space}/${path}/versions`, options),
    },
    /** The files of a space, sorted by path. */
    list: (space: string, options?: FileListOptions): Listing<StoredFile> =>
      api.list(route`/spaces/${space}/files`, options),
    /** Moves bytes between the database and the bucket for some seconds; call it again with `next` until that is null. */
    migrate: (step: FileMigration, call?: CallOptions): Promise<FileMigrationReport> =>
      api.post('/admin/files/migrate', step, call, { repeatable: true }),
    trash: (space: string, options?: ListCall): Listing<DeletedFile> =>
      api.list(route`/spaces/${space}/files/trash`, options),
  }
}

function putRequest(
  target: string,
  body: Uint8Array | Blob | ReadableStream<Uint8Array>,
  { ifMatch, createOnly, onProgress, ...call }: PutFileOptions = {},
): Request {
  const headers = {
    'Content-Type': 'application/octet-stream',
    ...conditionHeaders(createOnly ? undefined : ifMatch, createOnly),
  }
  return { method: 'PUT', target, headers, body, onProgress, timeout: 0, call }
}
