import { route, targetWithQuery } from '../transport/address.ts'
import type { CallOptions, Connection } from '../transport/connection.ts'
import { ConnectionError } from '../transport/errors.ts'
import { requestJson } from '../transport/json.ts'
import type { Query } from '../transport/operation-types.ts'
import { open } from '../transport/request.ts'
import type { Bundle, ImportReport } from '../types.ts'
import { type ExportedPage, type ExportPagesOptions, exportPages } from './export-pages.ts'

export type ExportOptions = CallOptions & Pick<Query<'spaces.export'>, 'history'>
export type ImportOptions = CallOptions & Query<'spaces.import'>

/** Export and import of spaces. */
export function transferMethods(connection: Connection) {
  const exportSpace = async (slug: string, format: 'json' | 'zip', { history, ...call }: ExportOptions) => {
    const target = targetWithQuery(route`/spaces/${slug}/export`, { format, history })
    const response = await open(connection, { method: 'GET', redirect: 'follow', target, call })
    if (!response.body) throw new ConnectionError(connection.url, 'the response has no body')
    return { response, body: response.body }
  }
  return {
    /** Streams a space as a bundle or as an archive of Markdown files. */
    export: async (
      slug: string,
      { format = 'json', ...options }: ExportOptions & { readonly format?: 'json' | 'zip' | undefined } = {},
    ): Promise<ReadableStream<Uint8Array>> => (await exportSpace(slug, format, options)).body,

    /** A space as a bundle in memory. */
    async exportBundle(slug: string, options: ExportOptions = {}): Promise<Bundle> {
      const { response } = await exportSpace(slug, 'json', options)
      return (await response.json()) as Bundle // as the API's schema says
    },

    /**
     * Streams the pages of a space by path, with versions and metadata. If the connection is cut, it continues after
     * the last page.
     *
     * ```js
     * for await (const { path, body } of recto.spaces.exportPages('docs')) await save(path, body)
     * ```
     */
    exportPages: (slug: string, options?: ExportPagesOptions): AsyncIterable<ExportedPage> =>
      exportPages(connection, slug, options),

    /** Imports a bundle, or the bytes of a bundle or an archive. A stream is not retried. */
    import: (
      slug: string,
      upload: Bundle | Uint8Array | Blob | ReadableStream<Uint8Array>,
      { onConflict, dryRun, frontMatter, conflictsOffset, ...call }: ImportOptions = {},
    ): Promise<ImportReport> =>
      requestJson(connection, {
        method: 'POST',
        target: targetWithQuery(route`/spaces/${slug}/import`, { onConflict, dryRun, frontMatter, conflictsOffset }),
        headers: { 'Content-Type': isBytes(upload) ? 'application/octet-stream' : 'application/json' },
        body: isBytes(upload) ? upload : JSON.stringify(upload),
        // A second import would conflict with the pages of the first.
        notIdempotent: true,
        timeout: 0,
        call,
      }),
  }
}

function isBytes(
  upload: Bundle | Uint8Array | Blob | ReadableStream<Uint8Array>,
): upload is Uint8Array | Blob | ReadableStream<Uint8Array> {
  return upload instanceof Uint8Array || upload instanceof Blob || upload instanceof ReadableStream
}
