import { route, targetWithQuery } from '../transport/address.ts'
import type { CallOptions, Connection } from '../transport/connection.ts'
import { ConnectionError } from '../transport/errors.ts'
import { read } from '../transport/json.ts'
import { readLines } from '../transport/lines.ts'
import { open } from '../transport/request.ts'
import { Reconnects, silenceLimit } from '../transport/resumed.ts'

export interface ExportedPage {
  readonly path: string
  readonly version: number
  readonly body: string
  /** Absent if there is none. */
  readonly metadata?: Readonly<Record<string, unknown>>
}

export interface ExportPagesOptions extends CallOptions {
  /** Only the pages after this path, in the order of bytes. */
  readonly after?: string | undefined
}

/** Streams the pages of a space by path, as NDJSON. After a cut it continues after the last page. */
export async function* exportPages(
  connection: Connection,
  slug: string,
  { after, ...call }: ExportPagesOptions = {},
): AsyncGenerator<ExportedPage, undefined> {
  const reconnects = new Reconnects(connection, { call })
  let last = after
  while (true) {
    const target = targetWithQuery(route`/spaces/${slug}/export`, { format: 'ndjson', after: last })
    const response = await open(connection, { ...read, target, call })
    if (!response.body) throw new ConnectionError(connection.url, 'the response has no body')
    let cut: unknown = 'the export was cut off'
    try {
      for await (const line of readLines(response.body, silenceLimit(connection, { call }))) {
        const page = JSON.parse(line) as ExportedPage | { readonly path?: undefined } // as the API documents it
        if (page.path === undefined) return undefined
        yield page
        last = page.path
        reconnects.progressed()
      }
    } catch (error) {
      cut = error
    }
    await reconnects.wait(cut)
  }
}
