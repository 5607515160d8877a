import { readLines } from './lines.ts'

/** A server-sent event; `id` is the last event id of the stream. */
export interface StreamEvent {
  readonly id: string | undefined
  readonly data: string
}

/** Parses `text/event-stream` (WHATWG HTML, 9.2); throws when nothing, not even a comment, comes for `maxSilenceMs`. */
export async function* streamEvents(
  body: ReadableStream<Uint8Array>,
  maxSilenceMs?: number,
): AsyncGenerator<StreamEvent> {
  let data: string[] = []
  let id: string | undefined
  for await (const line of readLines(body, maxSilenceMs)) {
    if (line === '') {
      if (data.length > 0) yield { id, data: data.join('\n') }
      data = []
    } else if (line === 'data' || line.startsWith('data:')) {
      data.push(line.slice('data:'.length).replace(/^ /, ''))
    } else if (line.startsWith('id:')) {
      id = line.slice('id:'.length).replace(/^ /, '')
    }
  }
}

/** The same, without ids. */
export async function* eventData(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  for await (const { data } of streamEvents(body)) yield data
}
