import type { Operations } from '../openapi-operations.ts'
import { route, targetWithQuery } from '../transport/address.ts'
import { conditionHeaders, type IfMatch, type ProposalOptions } from '../transport/condition.ts'
import type { CallOptions, Connection } from '../transport/connection.ts'
import { requestJson } from '../transport/json.ts'
import type { Query } from '../transport/operation-types.ts'
import type { ListCall } from '../transport/paging.ts'
import { send } from '../transport/request.ts'
import { openResumed } from '../transport/resumed.ts'
import type { StoredFile } from '../types.ts'

export interface PutFileOptions extends IfMatch, ProposalOptions {
  /** Fail if the file exists. */
  readonly createOnly?: boolean | undefined
  /**
   * Called with the number of bytes that were handed to the connection; `fetch` buffers some of them. With it, the
   * upload of bytes or a blob fails after twice the `timeout` without progress. Browsers call it once, at the end.
   */
  readonly onProgress?: ((bytes: number) => void) | undefined
}

export interface FileOptions extends CallOptions {
  /** Number of a version; the latest if absent. */
  readonly version?: number | undefined
  /** Number of a change request: the file as that makes it. */
  readonly changeRequest?: number | undefined
}

export type FileListOptions = ListCall & Query<'files.list'>

/** Files: images and attachments. */
export function fileMethods(connection: Connection, { files }: Operations) {
  // Uploads and downloads have no time limit as a whole.
  const read = { method: 'GET', redirect: 'follow', timeout: 0 } as const
  return {
    ...files,
    /** The attributes of a file. */
    get(space: string, path: string, { version, changeRequest, ...call }: FileOptions = {}): Promise<StoredFile> {
      const target = targetWithQuery(route`/files/${space}/${path}`, { version, changeRequest })
      return requestJson(connection, { ...read, target, call, headers: { Accept: 'application/json' } })
    },
    /** Streams the bytes of a file. If the connection is cut, it continues there. */
    async read(
      space: string,
      path: string,
      { version, changeRequest, ...call }: FileOptions = {},
    ): Promise<ReadableStream<Uint8Array>> {
      const target = targetWithQuery(route`/files/${space}/${path}`, { version, changeRequest })
      return openResumed(connection, { ...read, target, call })
    },
    /** Creates the file, or replaces the version that `ifMatch` names. A stream is not retried. */
    put(
      space: string,
      path: string,
      body: Uint8Array | Blob | ReadableStream<Uint8Array>,
      { ifMatch, createOnly, onProgress, changeRequest, title, ...call }: PutFileOptions = {},
    ): Promise<StoredFile> {
      const headers = { 'Content-Type': 'application/octet-stream', ...conditionHeaders(ifMatch, createOnly) }
      const request = { method: 'PUT', headers, body, onProgress, timeout: 0, call } as const
      const target = targetWithQuery(route`/files/${space}/${path}`, { changeRequest, title })
      return requestJson(connection, { ...request, target })
    },
    /** Creates the files of a form, all or none: `folder` for all, or `path` before each. */
    async upload(space: string, form: FormData, call?: CallOptions): Promise<readonly StoredFile[]> {
      const target = route`/files/${space}`
      const request = { method: 'POST', target, body: form, timeout: 0, call } as const
      return (await requestJson<{ readonly files: readonly StoredFile[] }>(connection, request)).files
    },
    /** Deletes a file permanently, with its versions. */
    purge: (space: string, path: string, options?: IfMatch): Promise<void> =>
      purge(connection, route`/files/${space}/${path}`, options),
  }
}

/** Deletes what is at a URL permanently, also from the trash, where no version is current. */
export async function purge(connection: Connection, target: string, { ifMatch, ...call }: IfMatch = {}): Promise<void> {
  const headers = conditionHeaders(ifMatch)
  await send(connection, { method: 'DELETE', target: `${target}?purge=true`, headers, call })
}
